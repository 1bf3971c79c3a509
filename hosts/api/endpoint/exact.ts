import type { RefusalType } from "../../../core/model/shared/failure.ts";

/** Limits the depth of the check: the type of an organisation's tree is recursive. */
type Depth = readonly [never, 0, 1, 2, 3, 4, 5];

type KeyOf<Shape> = Shape extends unknown ? keyof Shape : never;
type FieldOf<Shape, Key> = Shape extends unknown ? (Key extends keyof Shape ? Shape[Key] : never) : never;
type RowOf<Shape> = Shape extends readonly (infer Row)[] ? Row : never;
type Scalar = string | number | boolean | bigint | symbol | null | undefined;

/** Names the fields of an answer that its shape lacks, at any depth. A free-form object has all fields. */
type Undeclared<Made, Shape, Left extends number = 6> = [Left] extends [never]
  ? never
  : Made extends Scalar
    ? never
    : Made extends readonly (infer Row)[]
      ? Undeclared<Row, RowOf<Shape>, Depth[Left]>
      : string extends KeyOf<Shape>
        ? never
        : {
            [Key in keyof Made & string]-?: Key extends KeyOf<Shape>
              ? Undeclared<Made[Key], FieldOf<Shape, Key>, Depth[Left]>
              : Key;
          }[keyof Made & string];

type CodeOf<R> = R extends { readonly code: infer Code extends string } ? Code : never;

/**
 * Checks a use case against its declaration where assignment does not: it answers only with fields that `returns`
 * declares, and can fail with every refusal that `failures` announces.
 */
export type Exact<Made, Shape, Failed, F extends RefusalType> = ([Undeclared<Made, Shape>] extends [never]
  ? unknown
  : { readonly "answers with what returns does not declare": Undeclared<Made, Shape> }) &
  ([Exclude<CodeOf<InstanceType<F>>, CodeOf<Failed>>] extends [never]
    ? unknown
    : { readonly "announces what run never ends in": Exclude<CodeOf<InstanceType<F>>, CodeOf<Failed>> });
