import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const BINARY = fileURLToPath(new URL('./node_modules/.bin/anvil', import.meta.url));

/**
 * Starts anvil on a free loopback port, with manual mining and the sandbox's rules: Prague, 30 million gas.
 * It is killed when this process exits.
 */
export async function startAnvil(chainId, baseFee) {
  const anvil = spawn(BINARY, [
    '--host', '127.0.0.1', '--port', '0', '--chain-id', String(chainId), '--no-mining',
    '--hardfork', 'prague', '--gas-limit', '30000000', '--base-fee', String(baseFee),
  ], { stdio: ['ignore', 'pipe', 'inherit'] });
  process.once('exit', () => anvil.kill());
  process.once('SIGTERM', () => process.exit(1));
  const url = await new Promise((resolve, reject) => {
    let output = '';
    const timer = setTimeout(() => reject(new Error(`anvil printed no address:\n${output}`)), 60_000);
    timer.unref();
    anvil.once('error', reject);
    anvil.once('exit', (code) => reject(new Error(`anvil exited with ${code}:\n${output}`)));
    anvil.stdout.on('data', (text) => {
      output += text;
      const address = output.match(/Listening on (\S+)/)?.[1];
      if (address) resolve(`http://${address}`);
    });
  });
  return { url, stop: () => new Promise((done) => { anvil.once('exit', done); anvil.kill(); }) };
}
