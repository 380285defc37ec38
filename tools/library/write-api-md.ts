/** Rewrites constructs/API.md; part of `npm run reference`. */
import { writeFileSync } from "node:fs";
import { API_MD, apiMd } from "./api-md.js";

writeFileSync(API_MD, apiMd());
