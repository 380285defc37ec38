import { MAX_GATEWAY_ADDRESSES } from "cdk8s-flipop/api";
import { expect } from "chai";
import { describe, it } from "mocha";
import { factsOfGateway } from "../../src/controllers/publications/gateways.js";
import { factsOfService } from "../../src/controllers/publications/services.js";
import { mostAddresses, type PublicationView } from "../../src/publishing/publications.js";
import { publishedConditions } from "../../src/publishing/published-addresses.js";

const ADDRESSES = { active: ["203.0.113.7"], kept: [] };
const SERVICE: PublicationView = { target: "Service web/shop", most: mostAddresses("Service"), shown: ["203.0.113.7"] };

function service(target: string): PublicationView {
  return { target, most: mostAddresses("Service"), ...factsOfService(target, undefined) };
}

function gateway(target: string): PublicationView {
  return { target, most: mostAddresses("Gateway"), ...factsOfGateway(target, "absent", undefined) };
}

function published(publications: readonly PublicationView[], addresses = ADDRESSES) {
  const [condition] = publishedConditions({ publications }, addresses, false);
  return condition;
}

describe("the condition Published of a resource with several objects", () => {
  it("names each problem, the first one as its reason", () => {
    const owner = { kind: "FloatingIPPool", namespace: "web", name: "old", uid: "old" };
    const views = [gateway("Gateway web/a"), SERVICE, service("Service web/none"), { ...SERVICE, owner }];
    const { status, reason, message } = published(views) ?? {};
    expect({ status, reason }).to.deep.equal({ status: "False", reason: "KindNotInstalled" });
    expect(message).to.match(/^the API server does not serve Gateway .*; Service web\/none does not exist; fix: /);
    expect(message).to.match(/; Service web\/shop shows the addresses of FloatingIPPool web\/old, /);
  });

  it("names a kind that is not installed once, and not more problems than a list may have", () => {
    const gateways = [gateway("Gateway web/a"), gateway("Gateway web/b")];
    expect(published(gateways)?.message).to.equal(published([gateway("Gateway web/a")])?.message);
    const services = Array.from({ length: 7 }, (_, at) => service(`Service web/s${at}`));
    const { reason, message } = published(services) ?? {};
    expect(reason).to.equal("ServiceNotFound");
    expect(message)
      .to.match(/Service web\/s4 .* and 2 more$/)
      .and.not.include("web/s5");
  });

  it("names each Gateway that cannot show all addresses", () => {
    const ips = Array.from({ length: MAX_GATEWAY_ADDRESSES + 1 }, (_, index) => `203.0.113.${index + 10}`);
    const full = (target: string) => ({ target, most: mostAddresses("Gateway"), shown: ips.slice(1) });
    const addresses = { active: ips, kept: [] };
    const { status, reason, message } = published([full("Gateway web/a"), full("Gateway web/b")], addresses) ?? {};
    expect({ status, reason }).to.deep.equal({ status: "True", reason: "TooManyAddresses" });
    expect(message).to.include("Gateway web/a shows").and.include("; Gateway web/b shows");
  });
});
