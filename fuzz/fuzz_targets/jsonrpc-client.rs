#![no_main]
causeway_fuzz::target!(causeway_jsonrpc_client::fuzzing::PARSERS);
