/** Which zones the tokens show, so that a resource whose token does not show a zone keeps no name there from others. */

import type { Clock } from "../clock.js";
import { isProviderError } from "../providers/errors.js";
import type { DnsProvider } from "../providers/types.js";
import { LONGEST_RETRY_MS } from "../timings.js";
import type { Claimant, ClaimedName, InAccount } from "./claimant.js";

/** The token for the records of a resource. */
export interface RecordToken {
  /** Empty: the operator's own. */
  readonly issuer: string;
  /** Absent: there is none, or its account is not known yet. */
  readonly dns: DnsProvider | undefined;
}

/** @param dnsOf the providers that the operator has a token for */
export function ofOperator(dnsOf: (provider: string) => DnsProvider | undefined): (provider: string) => RecordToken {
  return (provider) => ({ issuer: "", dns: dnsOf(provider) });
}

interface Answer {
  readonly shows: boolean;
  /** Monotonic ms. */
  readonly until: number;
}

export class ZonesOfTokens {
  /** By provider, of which each token has its own, then by zone. */
  private readonly answers = new WeakMap<DnsProvider, Map<string, Answer>>();

  /** @param onChange claims on names of the zone may have changed. */
  constructor(
    private readonly clock: Pick<Clock, "monotonic">,
    private readonly onChange: (provider: string, zone: string) => void,
  ) {}

  /** @param error of a read of the zone; `undefined`: an answer showed the zone */
  note(provider: DnsProvider, zone: string, error?: unknown): void {
    const shows = error === undefined;
    if (!shows && !isProviderError(error, "NotFound") && !isProviderError(error, "Unauthorized")) return;
    const before = this.shows(provider, zone);
    const zones = this.answers.get(provider) ?? new Map<string, Answer>();
    // Only an answer changes a zone that is there. One that is missing may have come, and no resource may read it with that token.
    zones.set(zone, { shows, until: shows ? Number.POSITIVE_INFINITY : this.clock.monotonic() + LONGEST_RETRY_MS });
    this.answers.set(provider, zones);
    if (before !== shows) this.onChange(provider.name, zone);
  }

  /**
   * The claims of a resource, each name with whether its token shows the zone. Before any answer, an issuer's token counts
   * only for a resource that can publish, and so asks at once: tenants name zones that they do not have.
   */
  withZones(claimant: Claimant, tokenOf: (provider: string) => RecordToken): Claimant {
    const placeOf = ({ provider, zone, title }: ClaimedName): InAccount => {
      const { issuer, dns } = tokenOf(provider);
      const shows = dns && this.shows(dns, zone);
      const isTried = issuer === "" || (dns !== undefined && title === "takes");
      return { account: issuer, isThere: shows ?? isTried };
    };
    return { ...claimant, names: claimant.names.map((name) => ({ ...name, ...placeOf(name) })) };
  }

  private shows(provider: DnsProvider, zone: string): boolean | undefined {
    const answer = this.answers.get(provider)?.get(zone);
    return answer === undefined || answer.until <= this.clock.monotonic() ? undefined : answer.shows;
  }
}
