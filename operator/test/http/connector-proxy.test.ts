import { expect } from "chai";
import { describe, it } from "mocha";
import { proxyFromEnv } from "../../src/http/connector.js";

const P = "http://egress.example:8080";
const CASES: readonly [string, Record<string, string>, string | undefined][] = [
  ["https://api.example.com:6443", {}, undefined],
  ["https://api.example.com:6443", { HTTPS_PROXY: P }, P],
  ["https://api.example.com:6443", { https_proxy: P }, P],
  ["https://api.example.com:6443", { HTTPS_PROXY: "egress.example:8080" }, P],
  ["https://api.example.com:6443", { HTTP_PROXY: P }, undefined],
  ["http://api.example.com", { HTTP_PROXY: P }, P],
  ["https://api.example.com", { HTTPS_PROXY: P, NO_PROXY: "*" }, undefined],
  ["https://api.example.com", { HTTPS_PROXY: P, NO_PROXY: "x, example.com" }, undefined],
  ["https://api.example.com", { HTTPS_PROXY: P, NO_PROXY: ".example.com" }, undefined],
  ["https://example.com", { HTTPS_PROXY: P, NO_PROXY: ".example.com" }, P],
  ["https://notexample.com", { HTTPS_PROXY: P, NO_PROXY: "example.com" }, P],
  ["https://api.example.com:6443", { HTTPS_PROXY: P, no_proxy: "api.example.com:6443" }, undefined],
  ["https://api.example.com:6443", { HTTPS_PROXY: P, NO_PROXY: "api.example.com:443" }, P],
  ["https://10.96.0.1", { HTTPS_PROXY: P, NO_PROXY: "10.96.0.0/12" }, undefined],
  ["https://10.1.0.1", { HTTPS_PROXY: P, NO_PROXY: "10.96.0.0/12" }, P],
  ["https://10.1.0.1", { HTTPS_PROXY: P, NO_PROXY: "10.1.0.1" }, undefined],
  ["https://10.1.0.1", { HTTPS_PROXY: P, NO_PROXY: "10.1.0.0/99,nonsense/8" }, P],
  ["https://[fd00::1]:6443", { HTTPS_PROXY: P, NO_PROXY: "fd00::/8" }, undefined],
  ["https://[fd00::1]:6443", { HTTPS_PROXY: P, NO_PROXY: "[fd00::1]:6443" }, undefined],
  ["https://127.0.0.1:6443", { HTTPS_PROXY: P }, undefined],
  ["https://localhost:6443", { HTTPS_PROXY: P }, undefined],
];

describe("proxy variables", () => {
  for (const [url, env, proxy] of CASES) {
    it(`${url} with ${JSON.stringify(env)} goes ${proxy === undefined ? "direct" : `by ${proxy}`}`, () => {
      expect(proxyFromEnv(new URL(url), env)).to.equal(proxy);
    });
  }
});
