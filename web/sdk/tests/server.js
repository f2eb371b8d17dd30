import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** A local server that handles each request as the `server` entries of the case table describe. */
export class Server {
  requests = [];
  #sockets = new Set();
  #responded = new Signal();
  #disconnected = new Signal();

  static async start(behaviours) {
    const server = new Server();
    server.listener = createServer((socket) => {
      server.#sockets.add(socket);
      // The client may close the connection at any time.
      socket.on('error', () => {});
      socket.on('close', () => server.#sockets.delete(socket));
      server.#serve(socket, behaviours).catch(() => {});
    });
    server.listener.listen(0, '127.0.0.1');
    await once(server.listener, 'listening');
    server.url = `http://127.0.0.1:${server.listener.address().port}`;
    return server;
  }

  /** Resolves when the server has sent everything for one request. */
  responded() {
    return this.#responded.wait();
  }

  /** Resolves when the client has closed a connection that the server keeps open. */
  disconnected() {
    return this.#disconnected.wait();
  }

  stop() {
    this.listener.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  async #serve(socket, behaviours) {
    const request = await readRequest(socket);
    if (!request) return;
    // Counted by request, not by connection: clients may open connections that they do not use.
    this.requests.push(request);
    const behaviour = nextBehaviour(behaviours, this.requests);
    const { status, end = 'clean', pauseMs = 0 } = behaviour;
    if (end === 'reset') return socket.destroy();
    if (end === 'hang') socket.on('close', () => this.#disconnected.notify());
    if (status) {
      const [head, ...parts] = encode(status, behaviour, end);
      socket.write(head);
      for (const part of parts) {
        await sleep(pauseMs);
        await new Promise((done) => socket.write(part, done));
      }
    }
    this.#responded.notify();
    if (end !== 'hang') socket.end();
  }
}

/** The entry for the last request. Event stream requests are counted separately if the case has entries for them. */
function nextBehaviour(behaviours, requests) {
  const countsSeparately = behaviours.some(({ events }) => events);
  const isEvents = ({ path }) => countsSeparately && path.endsWith('/events');
  const kind = isEvents(requests.at(-1));
  const candidates = behaviours.filter(({ events = false }) => events === kind);
  return candidates[requests.filter((request) => isEvents(request) === kind).length - 1] ?? candidates.at(-1);
}

/** A counting semaphore: each `notify` lets one `wait` pass. */
class Signal {
  #count = 0;
  #waiters = [];

  notify() {
    const waiter = this.#waiters.shift();
    if (waiter) waiter();
    else this.#count += 1;
  }

  async wait() {
    if (this.#count > 0) this.#count -= 1;
    else await new Promise((resolve) => this.#waiters.push(resolve));
  }
}

/** Encodes a response as the pieces in which it is sent. */
function encode(status, { headers = {}, json, body = '', lines, chunks }, end) {
  // Without `connection: close`: some clients accept a truncated body on a connection that announces its end.
  const close = end === 'break' ? [] : ['connection: close'];
  const head = [`HTTP/1.1 ${status} Test`, ...close, ...Object.entries(headers).map((pair) => pair.join(': '))];
  const parts = lines?.map((line) => `${line}\n`) ?? chunks;
  const hasType = Object.keys(headers).some((name) => name.toLowerCase() === 'content-type');
  if (parts) {
    if (!hasType) head.push('content-type: application/x-ndjson');
    head.push('transfer-encoding: chunked');
    const chunked = parts.map((text) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`);
    return [`${head.join('\r\n')}\r\n\r\n`, ...chunked, ...(end === 'clean' ? ['0\r\n\r\n'] : [])];
  }
  const text = json === undefined ? body : JSON.stringify(json);
  if (!hasType) head.push('content-type: application/json');
  if (status !== 204) head.push(`content-length: ${Buffer.byteLength(text) + (end === 'clean' ? 0 : 100)}`);
  return [`${head.join('\r\n')}\r\n\r\n`, text];
}

/** Reads a request; `undefined` if the client disconnects first. */
async function readRequest(socket) {
  let bytes = Buffer.alloc(0);
  let request;
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
    bytes = Buffer.concat([bytes, chunk]);
    if (!request) {
      const end = bytes.indexOf('\r\n\r\n');
      if (end < 0) continue;
      request = parseHead(bytes.subarray(0, end).toString());
      bytes = bytes.subarray(end + 4);
    }
    if (bytes.length >= Number(request.headers['content-length'] ?? 0)) return { ...request, body: bytes.toString() };
  }
  return undefined;
}

function parseHead(head) {
  const [first, ...fields] = head.split('\r\n');
  const [method, target] = first.split(' ');
  const headers = Object.fromEntries(fields.map((line) => line.split(/: (.*)/)).map(([name, value]) => [name.toLowerCase(), value]));
  const [path, query = ''] = target.split('?');
  return { method, path, query: Object.fromEntries(new URLSearchParams(query)), headers };
}
