// Writes artifacts/*.json from what forge compiled and from the contracts that everyone already has deployed.
// With --check it writes nothing and fails if a file there differs by one byte.
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { deployed } from './deployed.mjs';

const root = new URL('..', import.meta.url);
const folder = new URL('artifacts/', root);

// Placed at genesis, where the sandbox writes their storage by slot.
const compiled = ['PlayToken', 'QuirkyToken', 'TaxedToken', 'WrappedNative'];
// Made by a transaction: their storage is their own affair.
const constructed = [
  'DepositAddress',
  'DepositFactory',
  'Escrow',
  'IntentBook',
  'PlayAggregator',
  'PlayExchange',
  'PlayProvider',
  'Settler',
  'Vault',
  'VaultFactory',
];

async function outputOf(name) {
  return JSON.parse(await readFile(new URL(`out/${name}.sol/${name}.json`, root), 'utf8'));
}

async function fromForge(name) {
  const output = await outputOf(name);
  return {
    contractName: name,
    abi: output.abi,
    bytecode: output.bytecode.object,
    deployedBytecode: output.deployedBytecode.object,
    immutableReferences: output.deployedBytecode.immutableReferences ?? {},
  };
}

// Variable to slot. None shares a slot with another, and the sandbox relies on it.
async function withSlots(name) {
  const { storageLayout } = await outputOf(name);
  return { ...(await fromForge(name)), storageSlots: Object.fromEntries(storageLayout.storage.map(slotOf)) };
}

function slotOf({ label, slot, offset }) {
  if (offset !== 0) throw new Error(`${label} shares slot ${slot} with another variable`);
  return [label, Number(slot)];
}

const artifacts = [
  ...(await Promise.all(compiled.map(withSlots))),
  ...(await Promise.all(constructed.map(fromForge))),
  ...(await deployed(root)),
];
const files = new Map(
  artifacts.map((artifact) => [`${artifact.contractName}.json`, `${JSON.stringify(artifact, null, 2)}\n`]),
);

if (process.argv.includes('--check')) {
  const present = (await readdir(folder)).filter((file) => file.endsWith('.json'));
  const wrong = present.filter((file) => !files.has(file)).map((file) => `${file}: nothing makes this file`);
  for (const [file, text] of files) {
    const stored = present.includes(file) ? await readFile(new URL(file, folder), 'utf8') : undefined;
    if (stored !== text) wrong.push(`${file}: ${stored === undefined ? 'missing' : 'differs from what the sources give'}`);
  }
  if (wrong.length > 0) {
    console.error(`artifacts are not up to date; run npm run build\n${wrong.join('\n')}`);
    process.exitCode = 1;
  } else {
    console.log(`${files.size} artifacts are what the sources give`);
  }
} else {
  await mkdir(folder, { recursive: true });
  for (const [file, text] of files) await writeFile(new URL(file, folder), text);
  console.log(`wrote ${files.size} artifacts`);
}
