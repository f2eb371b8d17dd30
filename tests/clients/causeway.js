import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url));
const TARGET = resolve(REPOSITORY, process.env.CARGO_TARGET_DIR ?? 'target');
export const BINARY = process.env.CAUSEWAY_BIN ?? join(TARGET, 'debug', 'causeway');

for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));

/** A `causeway` of this test's own, on a free loopback port. It ends with this process at the latest. */
class Process {
  constructor(args) {
    this.args = args;
  }

  async start() {
    const child = spawn(BINARY, [...this.args, '--listen', '127.0.0.1:0'], { stdio: ['ignore', 'pipe', 'pipe'] });
    const kill = () => child.kill('SIGKILL');
    process.once('exit', kill);
    this.ended = new Promise((done) => child.once('exit', done));
    this.ended.then(() => process.removeListener('exit', kill));
    this.child = child;
    this.url = await new Promise((found, failed) => {
      let [greeting, said] = ['', ''];
      const late = setTimeout(() => failed(new Error(`causeway names no address:\n${said}`)), 60_000);
      late.unref();
      child.once('error', failed);
      child.once('exit', (code) => failed(new Error(`causeway ended with ${code}:\n${said}`)));
      child.stderr.on('data', (text) => { said = (said + text).slice(-10_000); });
      child.stdout.on('data', (text) => {
        greeting += text;
        const url = greeting.match(/http:\/\/127\.0\.0\.1:\d+/)?.[0];
        if (url) found(url);
      });
    });
    return this;
  }

  /** As a crash ends it. */
  async kill() {
    this.child.kill('SIGKILL');
    await this.ended;
  }

  async stop() {
    this.child?.kill('SIGTERM');
    await this.ended;
  }
}

/**
 * A service with a configuration of its own, whose chains run in another process: it can be killed while they live on.
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
