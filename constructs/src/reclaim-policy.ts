/** What happens to cloud state when its resource goes. */
export enum ReclaimPolicy {
  /** It stays as it is, for you to use or remove. */
  RETAIN = "Retain",
  /** What the operator created is removed; what you gave it stays. */
  DELETE = "Delete",
}
