// @ts-check

import { loadChains } from "./chain-list.js";
import { byId, copyButton } from "./dom.js";
import { startQr } from "./qr-example.js";
import { startStatus } from "./status-panel.js";
import { startSearch } from "./token-search.js";

const line = byId("first-call", HTMLElement);
line.textContent = `curl ${location.origin}/v1/chains`;
line.closest(".code")?.querySelector(".code-head")?.append(copyButton(() => line.textContent ?? "", "the first call"));

startStatus();
startQr();
startSearch(loadChains());
