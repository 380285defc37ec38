/** Help for the tests of apps: `import { FlipopAssertions } from "cdk8s-flipop/testing"`. */
export { FlipopAssertions, type PartOf } from "./assertions";
export type { Right } from "./rights";
