import { startChains } from '../start/chains.js';
import { startPlayground } from '../start/playground.js';
import { startStatus } from '../start/status.js';
import { startTry } from '../start/try.js';
import { isSandbox } from '../site.js';

void startStatus();
void startChains();
if (isSandbox) startTry();
startPlayground();
