/** The types of commits and of pull requests; CONTRIBUTING.md explains them. */
export const COMMIT_TYPES = ["feat", "fix", "perf", "refactor", "docs", "test", "build", "ci", "chore", "revert"];
