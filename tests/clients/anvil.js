import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const BINARY = fileURLToPath(new URL('./node_modules/.bin/anvil', import.meta.url));

/**
 * Starts anvil on a free loopback port, with blocks only on demand and the sandbox's rules: Prague, 30 million gas.
 * It ends with this process at the latest.
 */
export async function startAnvil(chainId, baseFee) {
  const anvil = spawn(BINARY, [
    '--host', '127.0.0.1', '--port', '0', '--chain-id', String(chainId), '--no-mining',
    '--hardfork', 'prague', '--gas-limit', '30000000', '--base-fee', String(baseFee),
  ], { stdio: ['ignore', 'pipe', 'inherit'] });
  process.once('exit', () => anvil.kill());
  process.once('SIGTERM', () => process.exit(1));
  const url = await new Promise((resolve, reject) => {
    let said = '';
    const late = setTimeout(() => reject(new Error(`anvil names no address:\n${said}`)), 30_000);
    late.unref();
    anvil.once('error', reject);
    anvil.once('exit', (code) => reject(new Error(`anvil ended with ${code}:\n${said}`)));
    anvil.stdout.on('data', (text) => {
      said += text;
      const address = said.match(/Listening on (\S+)/)?.[1];
      if (address) resolve(`http://${address}`);
    });
  });
  return { url, stop: () => new Promise((done) => { anvil.once('exit', done); anvil.kill(); }) };
}
