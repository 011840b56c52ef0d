/** A real systemd as process 1 of namespaces of its own, with fisk installed as an operator would find it. */
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fiskEntry } from '../../support/fisk.ts';
import { type RunResult, run, start } from '../../support/run.ts';
import { projectDir } from '../../support/source.ts';
import { fixture, tempDir } from '../../support/tmp.ts';
import { waitFor } from '../../support/wait.ts';

export interface Machine {
  /** Runs a program in there, as root. */
  exec(command: string, ...args: string[]): Promise<RunResult>;
  /** Runs `systemctl` and gives what it printed; throws when it fails. */
  systemctl(...args: string[]): Promise<string>;
  /** Some properties of a unit, by name. */
  show(unit: string, ...names: string[]): Promise<Map<string, string>>;
  /** What a unit and systemd about it have logged, a line each. */
  journal(unit: string): Promise<string>;
  /** The path, on this machine, of a file in there. */
  outside(path: string): string;
  /** Writes a file in there. */
  write(path: string, text: string): void;
  /** Waits until the unit is in that state: `active`, `inactive`, `failed`, `activating`, … */
  becomes(unit: string, state: string, timeoutMs?: number): Promise<void>;
  /** Ends everything in there. */
  stop(): Promise<void>;
}

const NAMESPACES = ['--cgroup', '--mount', '--pid', '--uts', '--ipc', '--fork', '--kill-child', '--mount-proc'];
const script = join(import.meta.dirname, 'machine.sh');
/** Where control groups of version 2 are: below the others on a machine that has both. */
const unified = existsSync('/sys/fs/cgroup/unified') ? '/sys/fs/cgroup/unified' : '/sys/fs/cgroup';

/** Why no such machine can be booted here, or nothing. */
export async function withoutMachine(): Promise<string | undefined> {
  if (!existsSync('/lib/systemd/systemd')) return 'no systemd here';
  const group = newGroup();
  if (group === undefined) return 'no control group can be made here';
  rmdirSync(group);
  const look = await run('unshare', [...NAMESPACES, script, tempDir(), '--look']);
  return look.code === 0 ? undefined : `no namespaces can be made here: ${look.stderr.trim()}`;
}

function newGroup(): string | undefined {
  const group = join(unified, `fisk-test-${process.pid}`);
  try {
    mkdirSync(group, { recursive: true });
    return group;
  } catch {
    return undefined;
  }
}

/** Boots one, with fisk and its unit installed unless `packaged` is false: then there are Node and an application alone. */
export async function bootMachine({ packaged = true } = {}): Promise<Machine> {
  const stage = tempDir();
  prepare(stage);
  if (packaged) install(stage);
  const group = newGroup();
  if (group === undefined) throw new Error('no control group can be made here');
  // The shell moves itself into the group, so that everything it becomes and starts is in there.
  const enter = 'echo 0 >"$1/cgroup.procs" && shift && exec unshare "$@"';
  const boot = await start('sh', ['-c', enter, 'sh', group, ...NAMESPACES, script, stage]);
  const init = await waitFor(() => childOf(boot.pid), { what: () => `process 1:\n${boot.stderr()}` });
  const inside = ['-t', String(init), '-m', '-p', '-u', '-i', '-C', '--'];
  const exec = (command: string, ...args: string[]) => run('nsenter', [...inside, command, ...args]);
  const systemctl = async (...args: string[]) => {
    const result = await exec('systemctl', '--no-pager', ...args);
    if (result.code !== 0) throw new Error(`systemctl ${args.join(' ')}: ${result.stderr}${result.stdout}`);
    return result.stdout;
  };
  const show: Machine['show'] = async (unit, ...names) => {
    const text = await systemctl('show', unit, `--property=${names.join(',')}`);
    return new Map(text.split('\n').map((line) => [line.replace(/=.*/, ''), line.replace(/^[^=]*=/, '')]));
  };
  const journal = async (unit: string) => (await exec('journalctl', '--no-pager', '-o', 'cat', '-u', unit)).stdout;
  await waitFor(async () => (await exec('systemctl', 'is-active', 'machine.target')).stdout.trim() === 'active', {
    timeout: 20_000,
    every: 100,
    what: () => `systemd to boot:\n${boot.stdout()}${boot.stderr()}`,
  });
  const outside = (path: string) => join(`/proc/${init}/root`, path);
  return {
    exec,
    systemctl,
    show,
    journal,
    outside,
    write(path, text) {
      const file = outside(path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    },
    async becomes(unit, state, timeout = 15_000) {
      let seen = '';
      await waitFor(
        async () => {
          seen = (await show(unit, 'ActiveState')).get('ActiveState') ?? '';
          return seen === state;
        },
        { timeout, every: 50, what: () => `${unit} to be ${state}; it is ${seen}` },
      ).catch(async (error) => {
        throw new Error(`${error.message}\n${await systemctl('status', unit).catch(String)}\n${await journal(unit)}`);
      });
    },
    async stop() {
      process.kill(init, 'SIGKILL');
      await boot.ended;
      await waitFor(() => removeGroup(group), { what: 'the control group to be empty' });
    },
  };
}

function childOf(pid: number): number | undefined {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return children === '' ? undefined : Number(children.split(' ')[0]);
}

function removeGroup(group: string): boolean {
  try {
    for (const name of readdirSync(group, { withFileTypes: true })) {
      if (name.isDirectory()) removeGroup(join(group, name.name));
    }
    rmdirSync(group);
    return true;
  } catch {
    return false;
  }
}

const copy = (from: string, to: string) => cpSync(from, to, { recursive: true, dereference: true });

/** Node, an application, and a target that boots to nothing but the journal. */
function prepare(root: string): void {
  copy(dirname(fixture('lab.sh')), join(root, 'usr/local/lib/lab'));
  mkdirSync(join(root, 'usr/local/bin'), { recursive: true });
  copy(process.execPath, join(root, 'usr/local/bin/node'));
  mkdirSync(join(root, 'etc/systemd/system'), { recursive: true });
  writeFileSync(
    join(root, 'etc/systemd/system/machine.target'),
    '[Unit]\nWants=systemd-journald.socket systemd-journald.service\nAfter=systemd-journald.service\n',
  );
}

/** Lays out what `npm install --global --prefix /usr/local`, and an operator after it, leave behind. */
function install(root: string): void {
  const fisk = join(root, 'usr/local/lib/node_modules/fisk');
  copy(dirname(fiskEntry), join(fisk, 'dist'));
  copy(join(projectDir, 'package.json'), join(fisk, 'package.json'));
  for (const name of ['koffi', '@koromix'])
    copy(join(projectDir, 'node_modules', name), join(fisk, 'node_modules', name));
  symlinkSync('../lib/node_modules/fisk/dist/main.js', join(root, 'usr/local/bin/fisk'));
  for (const name of ['fisk@.service', 'fisk-mcp@.service'])
    copy(join(projectDir, 'systemd', name), join(root, 'etc/systemd/system', name));
}
