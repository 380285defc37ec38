import { expect } from "chai";
import { describe, it } from "mocha";
import { unknownVariables, variableProblems } from "../src/environment-checks.js";

function env(...names: readonly string[]) {
  return Object.fromEntries(names.map((name) => [name, "x"]));
}

describe("variables that look like the operator's", () => {
  it("are passed over where Kubernetes made them of a Service", () => {
    const ofFlipop = ["FLIPOP_SERVICE_HOST", "FLIPOP_SERVICE_PORT", "FLIPOP_SERVICE_PORT_METRICS", "FLIPOP_PORT"];
    const ofItsPort = ["", "_PROTO", "_PORT", "_ADDR"].map((end) => `FLIPOP_PORT_8080_TCP${end}`);
    const ofAnother = ["FLIPOP_METRICS_SERVICE_HOST", "FLIPOP_METRICS_PORT", "FLIPOP_METRICS_PORT_8080_TCP_ADDR"];
    const all = env(...ofFlipop, ...ofItsPort, ...ofAnother, "FLIPOP_RESYNC", "FLIPOPS", "PATH");
    expect([variableProblems(all), unknownVariables(all)]).to.deep.equal([[], []]);
  });

  it("are reported as misspelt if they resemble one of its own", () => {
    const wrong = ["FLIPOP_DRYRUN", "FLIPOP_NAMESPACES", "FLIPOP_WATCH_NAMESPACE", "FLIPOP_debug"];
    expect(variableProblems(env(...wrong)).map((text) => text.replace(/.* mean /, ""))).to.deep.equal([
      "FLIPOP_DRY_RUN?",
      "FLIPOP_NAMESPACE?",
      "FLIPOP_WATCH_NAMESPACES?",
      "FLIPOP_DEBUG?",
    ]);
    expect(unknownVariables(env(...wrong))).to.deep.equal([]);
  });

  it("are somebody else's where they are like none", () => {
    const others = ["FLIPOP_LONG", "FLIPOP_SEED", "FLIPOP_SPECS", "FLIPOP_TEST_COUNTS", "FLIPOP_VERSION"];
    expect([variableProblems(env(...others)), unknownVariables(env(...others))]).to.deep.equal([[], others]);
  });
});

describe("variables with a URL", () => {
  const problems = (name: string, value: string) => variableProblems({ [name]: value });

  it("are refused unless it is one of http or https", () => {
    for (const name of ["DIGITALOCEAN_API_URL", "CLOUDFLARE_API_URL", "HTTPS_PROXY", "http_proxy"]) {
      for (const right of ["", "http://127.0.0.1:8080/v4", "https://api.example.com/"]) {
        expect(problems(name, right), `${name}=${right}`).to.deep.equal([]);
      }
      for (const wrong of ["ftp://x/y", "socks5://proxy:1080", "http://[", "https://"]) {
        expect(problems(name, wrong).join(), `${name}=${wrong}`).to.include(`${name}: "${wrong}" is not`);
      }
    }
  });

  it("of a proxy may be its host and port, and are shown without its password", () => {
    expect(problems("HTTPS_PROXY", "proxy.example.com:3128")).to.deep.equal([]);
    expect(problems("CLOUDFLARE_API_URL", "api.example.com:443")).to.have.length(1);
    expect(problems("HTTPS_PROXY", "socks5://me:word@proxy:1080").join()).to.include('"socks5://***@proxy:1080"');
  });
});
