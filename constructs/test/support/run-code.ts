import * as cdk8s from "cdk8s";
import { App, type AppProps, type Chart, Testing } from "cdk8s";
import * as kplus from "cdk8s-plus-28";
import { JsxEmit, ModuleKind, ScriptTarget, transpileModule } from "typescript";
import * as flipop from "../../src";

/** Runs the TypeScript code of an app in this process. Returns its objects; throws if its synthesis fails. */
export function runTypeScript(code: string): readonly object[] {
  const apps: App[] = [];
  class RecordedApp extends App {
    constructor(props?: AppProps) {
      super(props);
      apps.push(this);
    }
    override synth(): void {
      // The test synthesises the charts, without files.
    }
  }
  const modules: Readonly<Record<string, object>> = {
    cdk8s: { ...cdk8s, App: RecordedApp },
    "cdk8s-flipop": flipop,
    "cdk8s-plus-28": kplus,
  };
  const { outputText } = transpileModule(code, {
    compilerOptions: { module: ModuleKind.CommonJS, target: ScriptTarget.ES2022, jsx: JsxEmit.None },
  });
  const run = new Function("require", "exports", outputText);
  run((name: string) => modules[name], {});
  return apps.flatMap((app) => app.node.children.flatMap((chart) => Testing.synth(chart as Chart) as object[]));
}
