// Shows Hydrogen, a client of Matrix, for the server that this page came from. There is no encryption: rooms are not encrypted.
import { FeatureSet, Platform, RootView, RootViewModel, createNavigation, createRouter } from "hydrogen-view-sdk";

if (!window.isSecureContext) {
  // The client needs a service worker, which browsers allow on localhost only.
  window.location.hostname = "localhost";
}
const assetPaths = {
  downloadSandbox: "assets/download-sandbox.html",
  worker: "assets/main.js",
  serviceWorker: "sw.js",
};
const config = { defaultHomeServer: window.location.origin };
const platform = new Platform({ container: document.body, assetPaths, config });
const navigation = createNavigation();
platform.setNavigation(navigation);
await platform.init();
const urlRouter = createRouter({ navigation, history: platform.history });
urlRouter.attach();
const features = await FeatureSet.load(platform.settingsStorage);
const viewModel = new RootViewModel({ platform, urlRouter, navigation, features });
await viewModel.load();
document.body.appendChild(new RootView(viewModel).mount());
