import { readFileSync } from 'node:fs';

const artifact = (name) => JSON.parse(readFileSync(new URL(`../../contracts/evm/artifacts/${name}.json`, import.meta.url)));

export const ESCROW = artifact('Escrow').abi;
