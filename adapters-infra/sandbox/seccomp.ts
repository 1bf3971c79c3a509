/**
 * System calls that agents' programs do without, and by which kernels have been attacked or keys of a user shared. Container
 * engines refuse them, too: io_uring_setup, _enter and _register, userfaultfd, add_key, request_key and keyctl.
 */
const refusedCalls: Partial<Record<NodeJS.Architecture, readonly Calls[]>> = {
  // Those of the processor, then those of its 32-bit programs.
  x64: [
    { kind: 0xc000003e, numbers: [425, 426, 427, 323, 248, 249, 250] },
    { kind: 0x40000003, numbers: [425, 426, 427, 374, 286, 287, 288] },
  ],
  arm64: [
    { kind: 0xc00000b7, numbers: [425, 426, 427, 282, 217, 218, 219] },
    { kind: 0x40000028, numbers: [425, 426, 427, 388, 309, 310, 311] },
  ],
};

interface Calls {
  /** AUDIT_ARCH_… of linux/audit.h. */
  readonly kind: number;
  readonly numbers: readonly number[];
}

/** Classic BPF over `struct seccomp_data` (linux/filter.h): code, offset where true, offset where false, operand. */
type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, operand: number];

const loadNumber: Instruction = [0x20, 0, 0, 0];
const loadKind: Instruction = [0x20, 0, 0, 4];
/** The x32 programs of x64 set a bit in their numbers. */
const withoutX32Bit: Instruction = [0x54, 0, 0, 0xbfffffff];
const allow: Instruction = [0x06, 0, 0, 0x7fff0000];
/** ENOSYS, upon which programs do without. */
const refuse: Instruction = [0x06, 0, 0, 0x00050026];
const jumpIfEqual = (operand: number, ifTrue: number, ifFalse: number): Instruction => [
  0x15,
  ifTrue,
  ifFalse,
  operand,
];

/** Returns a filter as the kernel takes it; null where the numbers of the processor are not known. */
export const refusingFilter = (processor: NodeJS.Architecture): Buffer | null => {
  const calls = refusedCalls[processor];
  if (calls === undefined) return null;
  const ofKind = ({ kind, numbers }: Calls): readonly Instruction[] => {
    const compared = numbers.map((number, n) => jumpIfEqual(number, numbers.length - n, 0));
    const body = [loadNumber, withoutX32Bit, ...compared, allow, refuse];
    return [jumpIfEqual(kind, 0, body.length), ...body];
  };
  const all = [loadKind, ...calls.flatMap(ofKind), allow];
  const filter = Buffer.alloc(all.length * 8);
  all.forEach(([code, ifTrue, ifFalse, operand], n) => {
    filter.writeUInt16LE(code, n * 8);
    filter.writeUInt8(ifTrue, n * 8 + 2);
    filter.writeUInt8(ifFalse, n * 8 + 3);
    filter.writeUInt32LE(operand, n * 8 + 4);
  });
  return filter;
};
