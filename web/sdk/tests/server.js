import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * A server on a port of its own that does with each request what it was told: the `server` entries of the case table.
 */
export class Server {
  seen = [];
  #sockets = new Set();
  #said = new Signals();
  #left = new Signals();

  static async start(behaviours) {
    const server = new Server();
    server.listener = createServer((socket) => {
      server.#sockets.add(socket);
      // The client may hang up at any point, which is its right.
      socket.on('error', () => {});
      socket.on('close', () => server.#sockets.delete(socket));
      server.#serve(socket, behaviours).catch(() => {});
    });
    server.listener.listen(0, '127.0.0.1');
    await once(server.listener, 'listening');
    server.url = `http://127.0.0.1:${server.listener.address().port}`;
    return server;
  }

  /** Resolves once the server has sent all that it will for one request. */
  said() {
    return this.#said.next();
  }

  /** Resolves once the other side has hung up on a connection that the server keeps open. */
  left() {
    return this.#left.next();
  }

  stop() {
    this.listener.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  async #serve(socket, behaviours) {
    const request = await readRequest(socket);
    if (!request) return;
    // By request and not by connection: clients may open connections that they then do not need.
    this.seen.push(request);
    const behaviour = nextBehaviour(behaviours, this.seen);
    const { status, end = 'clean', pauseMs = 0 } = behaviour;
    if (end === 'reset') return socket.destroy();
    if (end === 'hang') socket.on('close', () => this.#left.happen());
    if (status) {
      const [head, ...parts] = answer(status, behaviour, end);
      socket.write(head);
      for (const part of parts) {
        await sleep(pauseMs);
        await new Promise((done) => socket.write(part, done));
      }
    }
    this.#said.happen();
    if (end !== 'hang') socket.end();
  }
}

/** What to do with the last request. Requests of the event stream are counted apart if the table has entries for them. */
function nextBehaviour(behaviours, seen) {
  const countedApart = behaviours.some(({ events }) => events);
  const isEvents = ({ path }) => countedApart && path.endsWith('/events');
  const kind = isEvents(seen.at(-1));
  const candidates = behaviours.filter(({ events = false }) => events === kind);
  return candidates[seen.filter((request) => isEvents(request) === kind).length - 1] ?? candidates.at(-1);
}

/** Counts signals until they are awaited. */
class Signals {
  #happened = 0;
  #waiting = [];

  happen() {
    const waiter = this.#waiting.shift();
    if (waiter) waiter();
    else this.#happened += 1;
  }

  async next() {
    if (this.#happened > 0) this.#happened -= 1;
    else await new Promise((resolve) => this.#waiting.push(resolve));
  }
}

/** The answer in the pieces in which it is sent. */
function answer(status, { headers = {}, json, body = '', lines, chunks }, end) {
  // Whoever breaks off has not announced it: a connection said to close may end anywhere, for some readers.
  const close = end === 'break' ? [] : ['connection: close'];
  const head = [`HTTP/1.1 ${status} As-Told`, ...close, ...Object.entries(headers).map((pair) => pair.join(': '))];
  const parts = lines?.map((line) => `${line}\n`) ?? chunks;
  const typed = Object.keys(headers).some((name) => name.toLowerCase() === 'content-type');
  if (parts) {
    if (!typed) head.push('content-type: application/x-ndjson');
    head.push('transfer-encoding: chunked');
    const framed = parts.map((text) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`);
    return [`${head.join('\r\n')}\r\n\r\n`, ...framed, ...(end === 'clean' ? ['0\r\n\r\n'] : [])];
  }
  const text = json === undefined ? body : JSON.stringify(json);
  if (!typed) head.push('content-type: application/json');
  if (status !== 204) head.push(`content-length: ${Buffer.byteLength(text) + (end === 'clean' ? 0 : 100)}`);
  return [`${head.join('\r\n')}\r\n\r\n`, text];
}

/** A request as it came over the wire; nothing where the other side hung up first. */
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
