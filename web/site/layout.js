// The frame of every page: head, bar and foot around what a file of html/ holds.

/** Title and description of each page; `nav` is the entry of the bar that it belongs to. */
const PAGES = {
  "start.html": { title: "Causeway", description: "A self-hosted service that moves value across chains for wallets and dApps.", nav: "/", scripts: ["/widget.js"] },
  "swap.html": { title: "Swap", description: "Swap across chains, pay by transfer, or buy with a card.", nav: "/swap", scripts: ["/widget.js"], isStatic: true },
  "buy.html": { title: "Buy", description: "Buy tokens with a card or a bank account: compare the providers, pay, and watch it arrive.", nav: "/buy", scripts: ["/widget.js"], isStatic: true },
  "transfer.html": { title: "Pay by transfer", description: "Swap by a plain transfer to an address, without connecting a wallet.", nav: "/swap", scripts: ["/widget.js"] },
  "order.html": { title: "Order", description: "Where an order is: its steps, amounts and transactions, live.", nav: "/explorer" },
  "sandbox.html": { title: "Sandbox", description: "The chains of the sandbox: blocks, transactions, addresses, faucet and switches.", nav: "/sandbox" },
  "explorer.html": { title: "Explorer", description: "Recent orders, volumes, success rate and times of this service.", nav: "/explorer" },
  "operator.html": { title: "Operator", description: "Orders, chains, prices, fillers, webhooks and pauses of this service.", nav: "/operator" },
  "docs.html": { title: "Documentation", description: "Guides and the API reference of Causeway.", nav: "/docs", isStatic: true },
  // The service puts a guide and its title in place.
  "guide.html": { title: "Guide", description: "A guide to Causeway.", nav: "/docs", isStatic: true },
};

const NAV = [["/swap", "Swap"], ["/buy", "Buy"], ["/explorer", "Explorer"], ["/docs", "Docs"], ["/sandbox", "Sandbox"]];

/** Whole HTML of a page. The service puts its mode in place of `unknown`, and parts with `data-sandbox` are for the sandbox only. */
export function layout(name, main) {
  const { title, description, nav, scripts = [], isStatic } = PAGES[name];
  const own = isStatic ? "" : `    <script type="module" src="/assets/${name.replace(".html", ".js")}"></script>\n`;
  const link = ([path, text]) => `<a href="${path}"${path === nav ? ' aria-current="page"' : ""}${path === "/sandbox" ? " data-sandbox" : ""}>${text}</a>`;
  return `<!doctype html>
<html lang="en" data-mode="unknown">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <title>${title === "Causeway" ? title : `${title} – Causeway`}</title>
    <meta name="description" content="${description}" />
    <link rel="icon" type="image/svg+xml" href="/assets/logo.svg" />
    <link rel="stylesheet" href="/assets/site.css" />
${scripts.map((path) => `    <script src="${path}" defer></script>\n`).join("")}${own}  </head>
  <body>
    <a class="skip" href="#main">Skip to the content</a>
    <header class="bar">
      <a class="brand" href="/" aria-label="Causeway"${nav === "/" ? ' aria-current="page"' : ""}><img src="/assets/logo.svg" alt="" width="28" height="28" /><span>Causeway</span></a>
      <nav aria-label="Site">
        ${NAV.map(link).join("\n        ")}
      </nav>
    </header>
    <main id="main" tabindex="-1" class="page ${name.replace(".html", "")}">
${main.trimEnd()}
    </main>
    <footer class="foot">
      <p>Causeway is free software under the MIT license or Apache License 2.0, as you prefer.</p>
      <p><a href="/docs">Documentation</a> <a href="/openapi.json">OpenAPI</a> <a href="/status.json">Status</a> <a href="/operator">Operator</a></p>
    </footer>
  </body>
</html>
`;
}
