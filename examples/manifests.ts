/** The app behind `npm run synth`: plain manifests in dist/, for users of YAML. FLIPOP_IMAGE replaces the default image. */
import { App, Chart } from "cdk8s";
import { FlipopCrds, FlipopOperator } from "cdk8s-flipop";

const app = new App();
new FlipopCrds(new Chart(app, "crds"), "crds");
new FlipopOperator(new Chart(app, "flipop"), "operator");
app.synth();
