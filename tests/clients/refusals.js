/** Error classes by message. The wording differs between nodes; the class must not. */
export const CLASSES = {
  nonce: /nonce too low/,
  funds: /insufficient funds/i,
  intrinsic: /intrinsic gas too (low|high -- CallGasCost)/,
  chain: /invalid chain id for signer/,
  tip: /priority.fee.per.gas.*(higher|greater) than.*max.fee.per.gas/i,
  fee: /max fee per gas less than block base fee/,
  'block gas': /exceeds block gas limit|tx\.gas_limit > env\.block\.gas_limit/,
  replacement: /replacement transaction underpriced/,
  known: /already known|already imported/,
  initcode: /max initcode size exceeded/,
  undecodable: /rlp|decode transaction/i,
  revert: /^execution reverted/,
  'out of gas': /out of gas|OutOfGas/,
  'no such opcode': /invalid opcode|OpcodeNotFound|InvalidFEOpcode/,
  jump: /invalid jump destination|InvalidJump/,
  stack: /stack underflow|StackUnderflow/,
  allowance: /gas required exceeds allowance/,
  arguments: /invalid argument|missing value|invalid (string )?length/,
  method: /does not exist|method not found/i,
  'no such block': /header not found|BlockOutOfRange/,
  'unknown block': /unknown block/,
  'no such filter': /filter not found/,
  'hash and range': /cannot specify both/i,
  floor: /floor data gas/,
};

const POOL = 'geth returns -32000 for transactions that its pool rejects, anvil the code "transaction rejected" of EIP-1474';
const RUN = 'geth returns -32000 for executions that fail without a revert, anvil an internal error';
const SAME = 'the same';

/** case: [class, the sandbox's code, anvil's code, why they differ]. The sandbox's codes are those of geth. */
export const ERRORS = {
  'a used nonce': ['nonce', -32000, -32003, POOL],
  'a value above the balance': ['funds', -32000, -32003, POOL],
  'gas below the intrinsic cost': ['intrinsic', -32000, -32000, SAME],
  'a different chain id': ['chain', -32000, -32003, POOL],
  'a tip above the fee': ['tip', -32000, -32003, POOL],
  'more gas than the block limit': ['block gas', -32000, -32000, SAME],
  'a replacement at the same price': ['replacement', -32000, -32003, POOL],
  'the same transaction again': ['known', -32000, -32003, POOL],
  'too much initcode': ['initcode', -32000, -32003, POOL],
  'bytes that are not a transaction': ['undecodable', -32000, -32602, 'geth decodes after it has parsed the arguments'],
  'a call that reverts without data': ['revert', 3, 3, SAME],
  'a call that reverts with a string': ['revert', 3, 3, SAME],
  'a call that reverts with a panic': ['revert', 3, 3, SAME],
  'a call that reverts with a custom error': ['revert', 3, 3, SAME],
  'an estimate of a call that reverts': ['revert', 3, 3, SAME],
  'a call that runs out of gas': ['out of gas', -32000, -32603, RUN],
  'a call that executes the invalid opcode': ['no such opcode', -32000, -32603, RUN],
  'a call that executes an unknown opcode': ['no such opcode', -32000, -32603, RUN],
  'a call with an invalid jump': ['jump', -32000, -32603, RUN],
  'a call that underflows the stack': ['stack', -32000, -32603, RUN],
  'an estimate of an endless loop': ['allowance', -32000, -32003, POOL],
  'a call that sends more than the balance': ['funds', -32000, -32003, POOL],
  'a call with gas below the intrinsic cost': ['intrinsic', -32000, -32000, SAME],
  'a call with a tip above the fee': ['tip', -32000, -32602, 'anvil rejects the arguments, geth the message built from them'],
  'a call at a future block': ['no such block', -32000, -32602, 'anvil rejects the argument, geth does not find the header'],
  'a balance at a future block': ['no such block', -32000, -32602, 'anvil rejects the argument, geth does not find the header'],
  'an address of one byte': ['arguments', -32602, -32602, SAME],
  'missing arguments': ['arguments', -32602, -32602, SAME],
  'an unknown method': ['method', -32601, -32601, SAME],
  'logs of an unknown block': ['unknown block', -32000, -32000, SAME],
  'logs by hash and range': ['hash and range', -32602, -32602, SAME],
  'changes of an unknown filter': ['no such filter', -32000, -32000, SAME],
};

/** case: [the sandbox's class and code, anvil's, why]; `null` is a node that accepts the request. */
export const DIFFERENCES = {
  'a fee below the base fee': [null, ['fee', -32003], 'geth keeps it pending until the base fee falls, anvil rejects it'],
  'gas below the floor of its data': [['floor', -32000], null, 'geth applies EIP-7623 in the pool, anvil only in the block'],
  'a call with a fee below the base fee': [['fee', -32000], null, 'geth checks the fee of a call, anvil does not'],
};
