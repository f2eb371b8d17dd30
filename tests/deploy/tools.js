// Commands that the checks run, and the files that they read.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { parseAllDocuments } from "yaml";

export const root = resolve(import.meta.dirname, "../..");
export const deploy = resolve(root, "deploy");

export const read = (path) => readFileSync(resolve(root, path), "utf8");

/** The documents of a YAML text, with `<<` as compose files use it; duplicate keys and syntax errors throw. */
export function yaml(text) {
    return parseAllDocuments(text, { merge: true }).map((document) => {
        if (document.errors.length) throw document.errors[0];
        return document.toJS();
    });
}

export function run(command, words, options = {}) {
    const done = spawnSync(command, words, { cwd: root, encoding: "utf8", maxBuffer: 1 << 26, ...options });
    return { found: done.error?.code !== "ENOENT", code: done.status, output: `${done.stdout ?? ""}`, errors: `${done.stderr ?? ""}` };
}

/** Skips the test with words where a command is missing: not every machine has every tool. */
export function missing(test, command, words, reason) {
    const { found, code } = run(command, words);
    if (found && code === 0) return false;
    test.skip(`"${[command, ...words].join(" ")}" does not work here: ${reason}`);
    return true;
}
