// Logs browsers in as the desktop user: `node log_in.js PROFILE FILE SERVICE...`. PROFILE becomes a profile of Chromium,
// and FILE gets the cookies and the storage of another login, as Playwright reads them.
const fs = require("fs");
const { chromium } = require("/opt/programs/node_modules/playwright-core");

const [profile, file, ...services] = process.argv.slice(2);
const chromiumOfTheImage = { executablePath: "/usr/bin/chromium", headless: true };
const expires = Math.floor(Date.now() / 1000) + 10 * 365 * 24 * 3600;

async function enter(page, address) {
  await page.goto(address);
  await page.fill("#username", "user");
  await page.fill("#password", "password");
}

const logIns = {
  forge: async (page) => {
    await enter(page, "http://forge.firm.test:8081/login/");
    await page.click("input[value=Login]");
    await page.locator("a[href*='/logout']").first().waitFor({ state: "attached" });
  },
  tracker: async (page) => {
    await enter(page, "http://tracker.firm.test:8082/login");
    await page.check("#autologin"); // Stay logged in
    await page.click("#login-submit");
    await page.locator("a.logout").waitFor();
  },
  chat: async (page) => {
    await enter(page, "http://chat.firm.test:8084/");
    await page.click("button[type=submit]");
    await page.getByText("General").first().waitFor();
  },
};

// All cookies, with a time at which they end: Chromium forgets others when it is closed.
async function lastingCookies(context) {
  return (await context.cookies()).map((cookie) => ({ ...cookie, expires }));
}

async function logInWith(context) {
  context.setDefaultTimeout(180_000); // the computer that builds the image may be busy
  for (const service of services) {
    const page = await context.newPage();
    await logIns[service](page);
    await page.close();
  }
}

async function main() {
  const desktop = await chromium.launchPersistentContext(profile, chromiumOfTheImage);
  await logInWith(desktop);
  await desktop.addCookies(await lastingCookies(desktop));
  await desktop.close();

  const browser = await chromium.launch(chromiumOfTheImage);
  const context = await browser.newContext();
  await logInWith(context);
  const state = await context.storageState({ indexedDB: true });
  state.cookies = await lastingCookies(context);
  fs.writeFileSync(file, JSON.stringify(state));
  await browser.close();
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
