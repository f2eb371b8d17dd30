#![no_main]
causeway_fuzz::target!(causeway_evm::fuzzing::PARSERS);
