/** Whether the account of a token is the one that resources have on record. */

/**
 * Of one provider. After a start it is unknown whether the first token is the right one: that shows as soon as the account
 * has an address that a resource has on record, or a change has been made in it.
 */
export class AccountProof {
  private proven = false;

  /** @param place where the operator reads the token, for people */
  constructor(readonly place: () => string) {}

  get isProven(): boolean {
    return this.proven;
  }

  prove(): void {
    this.proven = true;
  }
}
