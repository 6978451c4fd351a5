/**
 * Types of ports, their conversions, and types that are facets of the same value.
 *
 * image, tabular and dataset are facets of one value: a sample table (case id, patient, label, columns, image references) with a
 * recorded pipeline. A conversion to images or to a table loses nothing, so a dataset may pass through an image node and be trained on.
 */

export const PORT_TYPES = [
  'image',
  'tabular',
  'dataset',
  'model',
  'config',
  'metrics',
  'path',
  'tensor',
  'any',
] as const
export type PortType = (typeof PORT_TYPES)[number]

/**
 * Composite types and their parts. An input of such a type accepts one connection per part: images and a table are joined by case id, a
 * configuration is passed to the input that the port names (`routes`).
 */
export const COMPOSITES = {
  multimodal: ['image', 'tabular'],
  training_data: ['dataset', 'config'],
} as const satisfies Record<string, readonly PortType[]>
export type CompositeType = keyof typeof COMPOSITES
export type ValueType = PortType | CompositeType

/** No conversion loses any part of a value. */
export interface Conversion {
  readonly from: ValueType
  readonly to: ValueType
  readonly how: string
}

const convert = (from: ValueType, to: ValueType, how: string): Conversion => ({ from, to, how })

/** Types of outputs: no node returns a composite, or a value of type any. */
const GIVEN = PORT_TYPES.filter((type) => type !== 'any')

/** All conversions; a pair that is missing here cannot be connected. Each has a pair of ports in the catalog. */
export const CONVERSIONS: readonly Conversion[] = [
  ...GIVEN.map((type) => convert(type, type, 'passed on unchanged')),
  convert('dataset', 'image', 'the images of the dataset, with table, labels and patients'),
  convert('dataset', 'tabular', 'the table of the dataset, with images, labels and patients'),
  convert('image', 'dataset', 'the cases of the images, with their table, labels and patients'),
  convert('tabular', 'dataset', 'the cases of the rows, with their images, labels and patients'),
  convert('image', 'tabular', 'the table of the same cases'),
  convert('tabular', 'image', 'the images of the same cases'),
  convert('dataset', 'multimodal', 'images and table of the same cases'),
  convert('image', 'multimodal', 'joined by case id with a connected table'),
  convert('tabular', 'multimodal', 'joined by case id with connected images'),
  convert('dataset', 'training_data', 'the training cases'),
  convert('image', 'training_data', 'the cases of the images, joined by case id with a connected table'),
  convert('tabular', 'training_data', 'the cases of the rows, joined by case id with connected images'),
  convert('config', 'training_data', 'the training configuration, as if connected to its own input'),
  ...GIVEN.map((type) => convert(type, 'any', 'passed on unchanged')),
]

const BY_PAIR = new Map(CONVERSIONS.map((conversion) => [`${conversion.from}>${conversion.to}`, conversion]))

/** Conversion from type `from` to type `to`; undefined if there is none. */
export function conversion(from: ValueType, to: ValueType): Conversion | undefined {
  return BY_PAIR.get(`${from}>${to}`)
}

/** Parts that may be connected separately to a port of this type and are joined by case id; null: only one connection. */
export function joinedParts(to: ValueType): readonly [PortType, PortType] | null {
  return to === 'dataset' || to in COMPOSITES ? COMPOSITES.multimodal : null
}

/**
 * Within a type, the kind distinguishes values (a backbone is not a training configuration; predictions are not training data). Connected
 * ports must have the same kind, or both none.
 */
export interface Port {
  readonly name: string
  readonly type: ValueType
  readonly title: string
  readonly kind?: string
}

export interface InputPort extends Port {
  readonly optional?: true
  /** The name ends in a number that counts up: dataset3, dataset4, … Each port accepts one value; their order is that of the numbers. */
  readonly multiple?: true
  /** If nothing is connected, the run itself supplies the value. */
  readonly implicit?: true
  /** Values of these kinds are accepted too; an output that carries this input then has the kind of the arriving value. */
  readonly passes_kinds?: readonly string[]
  /** Part of a composite → the input of the same node that accepts it. */
  readonly routes?: Readonly<Partial<Record<ValueType, string>>>
  /** Remedy for a value that does not fit, if it is not to connect another one. */
  readonly advice?: 'resume_instead'
}

export interface OutputPort extends Port {
  /** Input whose cases (columns, classes, labels) this output passes on. */
  readonly carries?: string
}

/** Reports whether the port accepts a value of this kind (undefined: no kind). */
export function takesKind({ type, kind, passes_kinds }: InputPort, arriving: string | undefined): boolean {
  return type === 'any' || arriving === kind || (arriving !== undefined && !!passes_kinds?.includes(arriving))
}

/** Highest number of a repeated port. */
export const MAX_REPEATS = 64

/** Port with this name, or the repeated port that the name numbers. */
export function findInput(ports: readonly InputPort[], name: string): InputPort | undefined {
  return ports.find((port) => port.name === name || (port.multiple && repeats(port.name, name)))
}

function repeats(first: string, name: string): boolean {
  const [, stem, number] = /^(\D+)([1-9]\d{0,3})$/.exec(name) ?? []
  const [, ownStem, ownNumber] = /^(\D+)(\d+)$/.exec(first) ?? []
  return (
    stem !== undefined &&
    stem === ownStem &&
    Number(number) >= Number(ownNumber) &&
    Number(number) <= MAX_REPEATS
  )
}
