#![no_main]
causeway_fuzz::target!(causeway_http::fuzzing::PARSERS);
