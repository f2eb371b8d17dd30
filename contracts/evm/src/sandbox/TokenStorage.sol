// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

/// @notice What every play token keeps, first of all and in this order.
/// @dev No constructor runs at genesis: one runtime code stands at many addresses, and the sandbox writes the
/// storage itself. The slots are therefore part of the interface; contracts only ever append to them.
///
/// | slot | what        | kept by          |
/// |------|-------------|------------------|
/// | 0    | name        | every token      |
/// | 1    | symbol      | every token      |
/// | 2    | decimals    | every token      |
/// | 3    | balanceOf   | every token      |
/// | 4    | allowance   | every token      |
/// | 5    | totalSupply | all but wrapped native |
/// | 6    | faucet      | all but wrapped native |
/// | 7 to 9 | what makes the token special | see each contract |
abstract contract TokenStorage {
    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);

    string public name;
    string public symbol;
    uint8 public decimals;
    mapping(address owner => uint256) public balanceOf;
    mapping(address owner => mapping(address spender => uint256)) public allowance;
}
