#!/usr/bin/env node
// Runs the sources, for a checkout; `npm run build` makes dist/flipop.mjs, which needs Node alone.
import { register } from "tsx/esm/api";

register();
await import("../src/main.ts");
