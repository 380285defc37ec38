"use strict";
// cdk8s makes a folder for the output of each app of a test and leaves it behind: here it goes when the process ends.
const fs = require("node:fs");

const made = [];
const mkdtempSync = fs.mkdtempSync;
fs.mkdtempSync = (prefix, ...rest) => {
  const folder = mkdtempSync(prefix, ...rest);
  if (String(prefix).endsWith("cdk8s.outdir.")) made.push(folder);
  return folder;
};
process.on("exit", () => {
  for (const folder of made) fs.rmSync(folder, { recursive: true, force: true });
});
