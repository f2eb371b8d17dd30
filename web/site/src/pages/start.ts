import { startChains } from '../start/chains.js';
import { startPlayground } from '../start/playground.js';
import { startStatus } from '../start/status.js';
import { startTry } from '../start/try.js';
import { isSandbox } from '../site.js';

if (isSandbox) startTry();
// The rest is below the first screen. Not every browser tells when it has time.
const later = globalThis.requestIdleCallback ?? setTimeout;
for (const start of [startStatus, startChains, startPlayground]) later(() => void start());
