/** Makes what a Dockerfile describes without a registry and without Docker: the same steps, in folders and namespaces. */
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { run } from '../../support/run.ts';

export interface Image {
  /** The folder that is its root. */
  readonly root: string;
  readonly env: Readonly<Record<string, string>>;
  /** `uid:gid` */
  readonly user: string;
  readonly workdir: string;
  readonly entrypoint: readonly string[];
  readonly command: readonly string[];
  readonly healthcheck: readonly string[];
}

export interface Building {
  /** The folder with the Dockerfile. */
  readonly context: string;
  /** Where the roots of the stages are made; the caller removes it. */
  readonly dir: string;
  /** Gives the root for a base image, as a fresh folder at `into`. */
  readonly base: (name: string, into: string) => Promise<void>;
  /** Variables of the machine that each step gets, as `docker build` passes those of a proxy. */
  readonly env: NodeJS.ProcessEnv;
}

interface Instruction {
  readonly word: string;
  readonly rest: string;
}

/** The instructions of a Dockerfile, with comments gone and continued lines joined. */
export function instructions(text: string): Instruction[] {
  return text
    .replace(/^\s*#.*\n/gm, '')
    .replace(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [, word = '', rest = ''] = /^(\w+)\s+(.*)$/.exec(line) ?? [];
      return { word, rest };
    });
}

interface Stage {
  root: string;
  env: Record<string, string>;
  user: string;
  workdir: string;
  entrypoint: string[];
  command: string[];
  healthcheck: string[];
}

/** Runs every instruction and gives the last stage; throws with the output of a step that fails. */
export async function buildImage(building: Building): Promise<Image> {
  const stages = new Map<string, Stage>();
  let stage: Stage | undefined;
  for (const { word, rest } of instructions(readFileSync(join(building.context, 'Dockerfile'), 'utf8'))) {
    if (word === 'FROM') {
      const [base = '', , name = String(stages.size)] = rest.split(/\s+/);
      const root = join(building.dir, name);
      await building.base(base, root);
      stage = { root, env: {}, user: '0:0', workdir: '/', entrypoint: [], command: [], healthcheck: [] };
      stages.set(name, stage);
    } else if (stage !== undefined) {
      await perform(word, rest, stage, stages, building);
    }
  }
  if (stage === undefined) throw new Error('no stage');
  return stage;
}

async function perform(
  word: string,
  rest: string,
  stage: Stage,
  stages: Map<string, Stage>,
  building: Building,
): Promise<void> {
  const inside = (path: string) => join(stage.root, resolve(stage.workdir, path));
  switch (word) {
    case 'WORKDIR':
      stage.workdir = resolve(stage.workdir, rest);
      mkdirSync(inside('.'), { recursive: true });
      return;
    case 'ENV': {
      const [, name = '', value = ''] = /^(\w+)=(.*)$/.exec(rest) ?? [];
      stage.env[name] = value;
      return;
    }
    case 'USER':
      stage.user = rest;
      return;
    case 'ENTRYPOINT':
      stage.entrypoint = JSON.parse(rest);
      return;
    case 'CMD':
      stage.command = JSON.parse(rest);
      return;
    case 'HEALTHCHECK':
      stage.healthcheck = JSON.parse(rest.replace(/^.*?CMD\s+/, ''));
      return;
    case 'COPY': {
      const words = rest.split(/\s+/);
      const from = words[0]?.startsWith('--from=')
        ? stages.get((words.shift() ?? '').slice('--from='.length))
        : undefined;
      const to = words.pop() ?? '';
      for (const source of words) {
        if (from === undefined) copyContext(building.context, source, inside(to));
        else copy(join(from.root, source), inside(to));
      }
      return;
    }
    case 'RUN':
      await runStep(rest, stage, building);
      return;
    default:
      throw new Error(`no such instruction here: ${word}`);
  }
}

function copyContext(context: string, source: string, to: string): void {
  if (source !== '.') {
    cpSync(join(context, source), join(to, basename(source)), { recursive: true });
    return;
  }
  const ignored = new Set(
    readFileSync(join(context, '.dockerignore'), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .flatMap((pattern) => globSync(pattern, { cwd: context })),
  );
  for (const name of globSync('{*,.*}', { cwd: context })) {
    if (!ignored.has(name)) cpSync(join(context, name), join(to, name), { recursive: true });
  }
}

/** A folder's contents join what is there; a file is put at that path. */
function copy(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true });
  cpSync(from, to, { recursive: true, verbatimSymlinks: true });
}

const script = (name: string) => join(import.meta.dirname, name);

async function runStep(command: string, stage: Stage, { env }: Building): Promise<void> {
  const all = {
    HOME: '/root',
    PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    ...env,
    ...stage.env,
  };
  const namespaces = ['--mount', '--pid', '--fork', '--kill-child'];
  const inside = ['/bin/sh', '-c', `cd ${stage.workdir} && ${command}`];
  const { code, stdout, stderr } = await run('unshare', [...namespaces, script('step.sh'), stage.root, ...inside], {
    env: all,
    timeout: 300_000,
  });
  if (code !== 0) throw new Error(`RUN ${command}: ended with ${code}\n${stdout}${stderr}`);
}

/** A fresh Debian 12 at `into`, from a copy that is kept at `kept` and made when absent. */
export async function debian(kept: string, into: string): Promise<void> {
  if (!existsSync(kept)) {
    const made = `${kept}.${process.pid}`;
    mkdirSync(dirname(kept), { recursive: true });
    const { code, stdout } = await run('debootstrap', ['--variant=minbase', 'bookworm', made], { timeout: 300_000 });
    if (code !== 0) {
      rmSync(made, { recursive: true, force: true });
      throw new Error(`debootstrap ended with ${code}\n${stdout.slice(-2000)}`);
    }
    asPublished(made);
    renameSync(made, kept);
  }
  const copied = await run('cp', ['-a', kept, into]);
  if (copied.code !== 0) throw new Error(copied.stderr);
}

/** The published images of Debian hold no package lists and tell apt to keep no caches: their sizes would count as ours. */
function asPublished(root: string): void {
  for (const path of ['var/lib/apt/lists', 'var/cache/apt']) {
    rmSync(join(root, path), { recursive: true, force: true });
    mkdirSync(join(root, path, path.endsWith('lists') ? 'partial' : 'archives/partial'), { recursive: true });
  }
  writeFileSync(
    join(root, 'etc/apt/apt.conf.d/docker-clean'),
    `DPkg::Post-Invoke { "rm -f /var/cache/apt/archives/*.deb || true"; };
Dir::Cache::pkgcache "";
Dir::Cache::srcpkgcache "";
`,
  );
}
