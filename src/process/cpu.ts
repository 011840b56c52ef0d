import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';

/** How many CPUs this process may use, and how that was found. */
export interface CpuLimit {
  /** CPUs the scheduler may put it on. */
  readonly affinity: number;
  /** CPUs' worth of time its control groups grant; `null` = no limit. */
  readonly limit: number | null;
  /** The smaller of the two, the limit rounded up; at least 1. */
  readonly cpus: number;
  /** What an operator should know: files that could not be used. */
  readonly notes: readonly string[];
}

export interface CpuLimitOptions {
  /** Stands in for the root of the file system. */
  readonly root?: string;
  /** Stands in for the machine's CPU count where /proc shows no affinity. */
  readonly fallback?: number;
}

const MIN_CONCURRENCY = 2;
const MAX_CONCURRENCY = 8;

/** Commands at a time when nothing is configured: one a CPU, between 2 and 8. */
export function defaultConcurrency(cpuCount: number): number {
  return Math.min(MAX_CONCURRENCY, Math.max(MIN_CONCURRENCY, cpuCount));
}

/**
 * Reads the CPU limit of this process from its scheduler affinity and from the files of cgroup v1, v2 or both. Node's
 * own count is not used: depending on its version it ignores a quota or rounds it down. Never throws.
 */
export function cpuLimit({ root = '/', fallback }: CpuLimitOptions = {}): CpuLimit {
  const notes: string[] = [];
  const read = (path: string): string | undefined => {
    try {
      return readFileSync(join(root, path), 'utf8');
    } catch {
      return undefined;
    }
  };
  const affinity = affinityCount(read('proc/self/status')) ?? fallback ?? Math.max(1, cpus().length);
  const limit = quota(read, notes);
  const allowed = limit === null ? affinity : Math.max(1, Math.ceil(limit));
  return { affinity, limit, cpus: Math.min(affinity, allowed), notes };
}

/** Counts a list such as `0-3,8`. */
function affinityCount(status: string | undefined): number | undefined {
  const list = status?.match(/^Cpus_allowed_list:\s*([\d,-]+)$/m)?.[1];
  if (list === undefined) {
    return undefined;
  }
  let count = 0;
  for (const range of list.split(',')) {
    const [first, last = first] = range.split('-').map(Number);
    count += Number(last) - Number(first) + 1;
  }
  return Number.isInteger(count) && count > 0 ? count : undefined;
}

type Read = (path: string) => string | undefined;

/** The smallest limit from the process's own groups up to what is visible of their roots. */
function quota(read: Read, notes: string[]): number | null {
  const groups = groupPaths(read('proc/self/cgroup') ?? '');
  let smallest: number | null = null;
  for (const mount of cpuMounts(read('proc/self/mountinfo') ?? '')) {
    const path = groups.get(mount.version);
    if (path === undefined) {
      continue;
    }
    const below = relativeTo(mount.root, path);
    if (below === undefined) {
      notes.push(
        `the control group ${path} of this process lies outside what is mounted at ${mount.at}; its CPU limit is unknown`,
      );
      continue;
    }
    for (let depth = below.length; depth >= 0; depth--) {
      const limit = groupLimit(read, mount.version, join(mount.at, ...below.slice(0, depth)));
      smallest = limit === null ? smallest : Math.min(limit, smallest ?? limit);
    }
  }
  return smallest;
}

type Version = 'v1' | 'v2';

/** The process's own group in the hierarchy that can limit CPU time, by version. Lines read `id:controllers:path`. */
function groupPaths(text: string): Map<Version, string> {
  const paths = new Map<Version, string>();
  for (const line of text.split('\n')) {
    const match = line.match(/^\d+:([^:]*):(\/.*)$/);
    const [, controllers = '', path = ''] = match ?? [];
    if (match && controllers === '') {
      paths.set('v2', path);
    } else if (controllers.split(',').includes('cpu')) {
      paths.set('v1', path);
    }
  }
  return paths;
}

interface Mount {
  readonly version: Version;
  /** Which group the mount point shows. */
  readonly root: string;
  readonly at: string;
}

function cpuMounts(text: string): Mount[] {
  const mounts: Mount[] = [];
  for (const line of text.split('\n')) {
    const [before = '', after = ''] = line.split(' - ');
    const [, , , root = '', at = ''] = before.split(' ').map(unescapeOctal);
    const [type, , options = ''] = after.split(' ');
    if (type === 'cgroup2') {
      mounts.push({ version: 'v2', root, at });
    } else if (type === 'cgroup' && options.split(',').includes('cpu')) {
      mounts.push({ version: 'v1', root, at });
    }
  }
  return mounts;
}

/** Mount tables write a space as `\040`. */
function unescapeOctal(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
}

/** The names from `root` down to `path`, `undefined` when `path` is not below it. */
function relativeTo(root: string, path: string): string[] | undefined {
  const names = path.split('/').filter((name) => name !== '');
  const above = root.split('/').filter((name) => name !== '');
  if (names.includes('..') || above.includes('..') || above.some((name, index) => names[index] !== name)) {
    return undefined;
  }
  return names.slice(above.length);
}

/** CPUs' worth of time that one group grants; `null` when it sets no limit or its files make no sense. */
function groupLimit(read: Read, version: Version, group: string): number | null {
  const [amount, period] =
    version === 'v2'
      ? (read(join(group, 'cpu.max')) ?? '').trim().split(/\s+/)
      : [read(join(group, 'cpu.cfs_quota_us'))?.trim(), read(join(group, 'cpu.cfs_period_us'))?.trim()];
  const limit = Number(amount || Number.NaN) / Number(period || Number.NaN);
  return Number.isFinite(limit) && limit > 0 ? limit : null;
}
