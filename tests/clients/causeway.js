import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url));
const TARGET = resolve(REPOSITORY, process.env.CARGO_TARGET_DIR ?? 'target');
export const BINARY = process.env.CAUSEWAY_BIN ?? join(TARGET, 'debug', 'causeway');

for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));

/** A `causeway` process on a free loopback port. It is killed when this process exits. */
class Process {
  constructor(args) {
    this.args = args;
  }

  async start() {
    const child = spawn(BINARY, [...this.args, '--listen', '127.0.0.1:0'], { stdio: ['ignore', 'pipe', 'pipe'] });
    const kill = () => child.kill('SIGKILL');
    process.once('exit', kill);
    this.exited = new Promise((done) => child.once('exit', done));
    this.exited.then(() => process.removeListener('exit', kill));
    this.child = child;
    this.url = await new Promise((found, failed) => {
      let [stdout, stderr] = ['', ''];
      const timer = setTimeout(() => failed(new Error(`causeway printed no address:\n${stderr}`)), 60_000);
      timer.unref();
      child.once('error', failed);
      child.once('exit', (code) => failed(new Error(`causeway exited with ${code}:\n${stderr}`)));
      child.stderr.on('data', (text) => { stderr = (stderr + text).slice(-10_000); });
      child.stdout.on('data', (text) => {
        stdout += text;
        const url = stdout.match(/http:\/\/127\.0\.0\.1:\d+/)?.[0];
        if (url) found(url);
      });
    });
    return this;
  }

  /** Kills it without a shutdown, like a crash. */
  async kill() {
    this.child.kill('SIGKILL');
    await this.exited;
  }

  async stop() {
    this.child?.kill('SIGTERM');
    await this.exited;
  }
}

/**
 * Starts a service whose sandbox chains run in a separate process, so that it can be killed while they continue.
 * `config` is TOML.
 */
export async function startSeparately(config) {
  const folder = await mkdtemp(join(tmpdir(), 'causeway-orders-'));
  const file = join(folder, 'causeway.toml');
  await writeFile(file, config);
  const chains = await new Process(['sandbox', '--data-dir', join(folder, 'chains')]).start();
  const args = ['--config', file, '--data-dir', join(folder, 'service'), '--sandbox-rpc', chains.url];
  const service = await new Process(args).start();
  const stop = async () => {
    await service.stop();
    await chains.stop();
    await rm(folder, { recursive: true, force: true });
  };
  return { service, chains: chains.url, stop };
}
