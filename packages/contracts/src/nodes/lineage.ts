/**
 * Origin of the cases of a node's outputs, as data: every definition declares it, and the leak checks read it. An output that no relation
 * names carries no cases (settings, metrics, files).
 */
export type LineageRelation<
  Input extends string = string,
  Output extends string = string,
  Field extends string = string,
> =
  /** The cases come from outside, identified by the field `named_by`; `part`, unless it is `whole`, names one of several disjoint parts. */
  | {
      readonly relation: 'source'
      readonly output: Output
      readonly named_by: Field
      readonly part?: { readonly field: Field; readonly whole: string }
    }
  /** The cases come from outside, and no setting identifies them: the cases that they are joined with do. */
  | { readonly relation: 'unidentified'; readonly output: Output }
  /** The same cases, whatever was done to them. */
  | { readonly relation: 'same_as'; readonly output: Output; readonly of: Input }
  /** One of the parts that a node creates; no case is in two of them. */
  | { readonly relation: 'part_of'; readonly output: Output; readonly of: Input }
  /** A subset of the cases, which is known only at run time. */
  | { readonly relation: 'subset_of'; readonly output: Output; readonly of: Input }
  /** All cases of these inputs. */
  | { readonly relation: 'union_of'; readonly output: Output; readonly of: readonly Input[] }
  /**
   * The output (a model, statistics) is learned from all cases of these inputs. If the field `leak_allowed_by` is true, it may be evaluated on
   * cases on which it was fitted, which is then a warning.
   */
  | {
      readonly relation: 'fits'
      readonly output: Output
      readonly on: readonly Input[]
      readonly leak_allowed_by?: Field
    }
  /** The preparation fitted on the data at `fitted` (sizes, statistics) is applied unchanged to the cases of `to`, without other preparation. */
  | { readonly relation: 'applied_to'; readonly fitted: Input; readonly to: readonly Input[] }
  /**
   * If the field of `when` has that value, the fitted model is trained further, only on the cases on which it was fitted. `otherwise`: the
   * field value that permits other cases.
   */
  | {
      readonly relation: 'continues'
      readonly fitted: Input
      readonly on: readonly Input[]
      readonly when: { readonly field: Field; readonly is: string; readonly otherwise: string }
    }
  /** The model is evaluated on the cases of `on`, on which it must not have been fitted. */
  | { readonly relation: 'evaluates'; readonly model: Input; readonly on: Input }
  /** The model predicts the cases of `on`. Cases on which it was fitted are a warning. */
  | { readonly relation: 'predicts'; readonly model: Input; readonly on: Input }

export type Lineage = readonly LineageRelation[]

/** Lineage of a node without cases. */
export const NO_CASES = [] as const satisfies Lineage
