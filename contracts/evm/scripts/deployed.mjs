// Contracts that stand at the same address on nearly every chain, with the very code that they have there.
// The code comes from a library of the npm package @eth-optimism/contracts-bedrock; see artifacts/PROVENANCE.md.
import { readFile } from 'node:fs/promises';

const library = 'node_modules/@eth-optimism/contracts-bedrock/src/libraries/Preinstalls.sol';

// What comes before the runtime code in the creation code of Permit2. Together they hash to the address that
// CREATE2 gave it, which the sandbox's tests verify.
const permit2Constructor =
  '60c0346100bb574660a052602081017f8cad95687ba82c2ce50e74f7b754645e5117c3a5bec8151c0726d5857980a866' +
  '81527f9ac997416e8ff9d2ff6bebeb7149f65cdae5e32e2b90440b566bb3044041d36a60408301524660608301523060' +
  '808301526080825260a082019180831060018060401b038411176100a557826040525190206080526123c090816100c1' +
  '823960805181611b47015260a05181611b210152f35b634e487b7160e01b600052604160045260246000fd5b600080fd' +
  'fe';

const permit2Immutables = { chainId: 6945, domainSeparator: 6983 };

export async function deployed(root) {
  const source = await readFile(new URL(library, root), 'utf8');
  const code = (name) => {
    const found = source.match(new RegExp(`bytes internal constant ${name}Code =\\s*hex"([0-9a-f]+)"`));
    if (!found) throw new Error(`${library} has no code of ${name}`);
    return found[1];
  };
  return [
    { contractName: 'Create2Deployer', deployedBytecode: `0x${code('DeterministicDeploymentProxy')}` },
    { contractName: 'Multicall3', deployedBytecode: `0x${code('MultiCall3')}` },
    permit2(code('Permit2Template')),
  ];
}

// The library carries Ethereum's immutables; they are blanked, as a compiler leaves them.
function permit2(code) {
  const runtime = Buffer.from(code, 'hex');
  for (const start of Object.values(permit2Immutables)) runtime.fill(0, start, start + 32);
  const blank = runtime.toString('hex');
  return {
    contractName: 'Permit2',
    bytecode: `0x${permit2Constructor}${blank}`,
    deployedBytecode: `0x${blank}`,
    immutableReferences: Object.fromEntries(
      Object.entries(permit2Immutables).map(([name, start]) => [name, [{ start, length: 32 }]]),
    ),
  };
}
