/** Meaning of a reason, and what to do about it. */
export interface ReasonFacts {
  readonly meaning: string;
  /** Empty if there is nothing to do. */
  readonly remedy: string;
}
