/**
 * How a refusal is known for what it is. Words differ from node to node; what they say must not.
 */
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

const POOL = 'geth answers -32000 to what its pool refuses, anvil has "transaction rejected" of EIP-1474';
const RUN = 'geth answers -32000 to a run that fails without reverting, anvil calls it internal';
const SAME = 'the same';

/** case: [class, the sandbox's code, anvil's code, why they differ]. The sandbox's are geth's. */
export const REFUSALS = {
  'a used nonce': ['nonce', -32000, -32003, POOL],
  'more than the balance': ['funds', -32000, -32003, POOL],
  'gas under the intrinsic cost': ['intrinsic', -32000, -32000, SAME],
  'another chain': ['chain', -32000, -32003, POOL],
  'a tip above the fee': ['tip', -32000, -32003, POOL],
  'more gas than a block has': ['block gas', -32000, -32000, SAME],
  'a replacement for the same price': ['replacement', -32000, -32003, POOL],
  'the same transaction again': ['known', -32000, -32003, POOL],
  'too much initcode': ['initcode', -32000, -32003, POOL],
  'bytes that are no transaction': ['undecodable', -32000, -32602, 'geth decodes after it has read the arguments'],
  'a call that reverts without data': ['revert', 3, 3, SAME],
  'a call that reverts with a string': ['revert', 3, 3, SAME],
  'a call that reverts with a panic': ['revert', 3, 3, SAME],
  'a call that reverts with an error of its own': ['revert', 3, 3, SAME],
  'an estimate of what reverts': ['revert', 3, 3, SAME],
  'a call that runs out of gas': ['out of gas', -32000, -32603, RUN],
  'a call into the invalid opcode': ['no such opcode', -32000, -32603, RUN],
  'a call into an unknown opcode': ['no such opcode', -32000, -32603, RUN],
  'a call that jumps astray': ['jump', -32000, -32603, RUN],
  'a call that underflows the stack': ['stack', -32000, -32603, RUN],
  'an estimate of what never ends': ['allowance', -32000, -32003, POOL],
  'a call of more than the balance': ['funds', -32000, -32003, POOL],
  'a call with less than the intrinsic gas': ['intrinsic', -32000, -32000, SAME],
  'a call with a tip above the fee': ['tip', -32000, -32602, 'anvil refuses the arguments, geth the message made of them'],
  'a call at a block to come': ['no such block', -32000, -32602, 'anvil refuses the argument, geth misses the header'],
  'a balance at a block to come': ['no such block', -32000, -32602, 'anvil refuses the argument, geth misses the header'],
  'an address of one byte': ['arguments', -32602, -32602, SAME],
  'no arguments': ['arguments', -32602, -32602, SAME],
  'a method that is none': ['method', -32601, -32601, SAME],
  'logs of an unknown block': ['unknown block', -32000, -32000, SAME],
  'logs by hash and range': ['hash and range', -32602, -32602, SAME],
  'changes of no filter': ['no such filter', -32000, -32000, SAME],
};

/** case: [the sandbox's class and code, anvil's, why]; `null` is a node that takes it. */
export const PARTINGS = {
  'a fee under the base fee': [null, ['fee', -32003], 'geth lets it wait for the base fee to fall, anvil does not take it'],
  'gas under the floor of its data': [['floor', -32000], null, 'geth knows EIP-7623 at the door, anvil only in the block'],
  'a call with a fee under the base fee': [['fee', -32000], null, 'geth holds a call to the price it names, anvil does not'],
};
