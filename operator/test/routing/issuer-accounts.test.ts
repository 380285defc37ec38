import type { RoutedIPIssuerSpec } from "cdk8s-flipop/api";
import { expect } from "chai";
import { describe, it } from "mocha";
import { partsOf } from "../../src/messages/message.js";
import { credentialsOf, secretOf } from "../../src/routing/issuer-accounts.js";

describe("the credentials of an issuer", () => {
  const place = { name: "do", namespace: "team", operatorNamespace: "flipop", issuerNamespaces: ["flipop", "team"] };
  const asked = (spec: Partial<RoutedIPIssuerSpec>, where = place, secret?: Readonly<Record<string, string>>) => {
    const answer = credentialsOf({ provider: "digitalocean", ...spec }, where, { secret, variable: "TOKEN" });
    return answer.from === "nowhere" ? answer.problem.reason : answer;
  };
  const ref = { credentialsSecretRef: { name: "do", key: "token" } };

  it("are those of its Secret, in its own namespace", () => {
    expect(asked(ref, place, { token: " t1\n" })).to.deep.equal({
      from: "secret",
      token: "t1",
      place: "entry token of Secret team/do",
    });
    expect(asked(ref, place, { token: "t1", TOKEN: "new", ca: "x" }), "names entries that it does not read").to.include(
      {
        place: "entry token of Secret team/do (beside entries TOKEN, ca, which the operator does not read)",
      },
    );
    expect(asked({ credentialsSecretRef: { name: "do" } }, place, { TOKEN: "t2" })).to.deep.include({ token: "t2" });
    expect(secretOf({ provider: "digitalocean", ...ref }, place)).to.equal("team/do");
  });

  it("are never the operator's, except those of an issuer in the operator's namespace", () => {
    expect(asked({})).to.equal("NamespaceNotAllowed");
    expect(asked({}, { ...place, namespace: "flipop" })).to.deep.equal({ from: "operator" });
  });

  it("are not read in other namespaces than those allowed", () => {
    const elsewhere = { ...place, namespace: "other" };
    expect(asked(ref, elsewhere, { token: "t" })).to.equal("NamespaceNotAllowed");
    expect(secretOf({ provider: "digitalocean", ...ref }, elsewhere)).to.equal(undefined);
  });

  it("are to come from another namespace if that of the Secret is being deleted, as it takes no new Secret", () => {
    const answer = credentialsOf(
      { provider: "digitalocean", ...ref },
      { ...place, leaving: true },
      { secret: undefined, variable: "TOKEN" },
    );
    const [, ...fixes] = partsOf(answer.from === "nowhere" ? answer.problem.message : "");
    expect(fixes).to.have.length(2);
    expect(fixes[0]).to.match(/^unless its namespace is being deleted, have the author of RoutedIPIssuer/);
    expect(fixes[1]).to.equal(
      "if that namespace is being deleted, have the cluster's administrator create a RoutedIPIssuer and its Secret in another namespace, which --issuer-namespaces has to list, and name that issuer in issuerRef of the ClusterRoutedIPClass",
    );
  });

  it("are not known to be missing where the operator may not read Secrets", () => {
    const answer = credentialsOf({ provider: "digitalocean", ...ref }, place, {
      secret: "forbidden",
      variable: "TOKEN",
    });
    expect(answer.from === "nowhere" && answer.problem.reason).to.equal("NamespaceNotAllowed");
    expect(answer.from === "nowhere" && answer.problem.message).to.include("add the Role");
  });

  it("are missing where the Secret or its key is", () => {
    expect(asked(ref)).to.equal("SecretNotFound");
    expect(asked(ref, place, { other: "t" })).to.equal("SecretNotFound");
    expect(asked(ref, place, { token: " " })).to.equal("SecretNotFound");
    for (const key of ["constructor", "__proto__"]) {
      expect(asked({ credentialsSecretRef: { name: "do", key } }, place, {}), key).to.equal("SecretNotFound");
    }
  });

  it("say what to set where the reference names no key, and the provider has no usual one", () => {
    const spec = { provider: "acme", credentialsSecretRef: { name: "do" } };
    const answer = credentialsOf(spec, place, { secret: { token: "t" }, variable: "" });
    expect(answer.from === "nowhere" && answer.problem.message).to.equal(
      "RoutedIPIssuer team/do names no key of Secret team/do; fix: have the author of RoutedIPIssuer team/do set key to the entry with the token, or correct credentialsSecretRef",
    );
    expect(asked({ credentialsSecretRef: { name: "do", key: "" } }, place, { TOKEN: "t3" })).to.include({
      token: "t3",
    });
  });
});
