import { libc } from './libc.ts';
import { bytesOf, type PackedStrings, writeStrings } from './strings.ts';

/** What a start hands to native code. All of it lies in one block, since each block costs the garbage collector. */
export interface SpawnFrame {
  /** Gets the pid. */
  readonly pid: Int32Array;
  readonly actions: Buffer;
  readonly path: Buffer;
  readonly cwd: Buffer;
  /** `char **`, ended by NULL. */
  readonly argv: Buffer;
  readonly envp: Buffer;
}

const POINTER_BYTES = 8;
const PID_BYTES = 8;
/** glibc's type takes 80 bytes; with room to spare. */
const ACTION_BYTES = 128;

/** Lays out one start. The texts must hold no NUL. The environment is that of all children and then that of this one. */
export function spawnFrame(
  path: string,
  cwd: string,
  argv: readonly string[],
  environment: PackedStrings,
  variables: readonly string[],
): SpawnFrame {
  const paths = [path, cwd];
  const shared = environment.pointers.length;
  const argvAt = PID_BYTES + ACTION_BYTES;
  const envpAt = argvAt + (argv.length + 1) * POINTER_BYTES;
  const stringsAt = envpAt + (shared + variables.length + 1) * POINTER_BYTES;
  const block = Buffer.allocUnsafeSlow(stringsAt + bytesOf(paths) + bytesOf(argv) + bytesOf(variables));
  const pointers = (from: number, count: number): BigUint64Array =>
    new BigUint64Array(block.buffer, block.byteOffset + from, count);

  const place = { block, at: stringsAt, base: libc().address(block) };
  const pathsOut = new BigUint64Array(paths.length);
  writeStrings(paths, place, pathsOut);
  const argvOut = pointers(argvAt, argv.length + 1);
  writeStrings(argv, place, argvOut);
  argvOut[argv.length] = 0n;
  const envpOut = pointers(envpAt, shared + variables.length + 1);
  envpOut.set(environment.pointers);
  writeStrings(variables, place, envpOut.subarray(shared));
  envpOut[shared + variables.length] = 0n;

  const cwdAt = stringsAt + Buffer.byteLength(path) + 1;
  return {
    pid: new Int32Array(block.buffer, block.byteOffset, 1),
    actions: block.subarray(PID_BYTES, argvAt),
    path: block.subarray(stringsAt, cwdAt),
    cwd: block.subarray(cwdAt),
    argv: block.subarray(argvAt, envpAt),
    envp: block.subarray(envpAt, stringsAt),
  };
}
