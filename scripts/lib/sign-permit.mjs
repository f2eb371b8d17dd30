// Reads the answer of a build by PERMIT and writes the payer's two signatures as they are submitted: over the token's permit, then
// over the order. The payer is the sandbox's well-known first account. Needs `npm ci` in tests/clients.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const { privateKeyToAccount } = createRequire(new URL("../../tests/clients/package.json", import.meta.url))("viem/accounts");
const payer = privateKeyToAccount("0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80");
const { permit, order } = JSON.parse(readFileSync(0, "utf8"));
const [first, second] = [await payer.signTypedData(permit), await payer.signTypedData(order)];
console.log(first + second.slice(2));
