/**
 * What a port carries, what converts into what, and which values are one thing seen from several sides.
 *
 * image, tabular and dataset are facets of one value: a sample table (case id, patient, label, columns, image references) with a
 * recorded pipeline. Seen as images or as a table it loses nothing, so a dataset may pass through a node of images and be trained on.
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

/** Composite types and their parts. One connection per part meets in a single port. */
export const COMPOSITES = {
  multimodal: ['image', 'tabular'],
  training_data: ['dataset', 'config'],
} as const satisfies Record<string, readonly PortType[]>
export type CompositeType = keyof typeof COMPOSITES
export type ValueType = PortType | CompositeType

export interface Conversion {
  readonly from: ValueType
  readonly to: ValueType
  /** False: something of the value is left behind, or whether it fits shows only when the node runs. */
  readonly lossless: boolean
  readonly how: string
}

const convert = (from: ValueType, to: ValueType, how: string, lossless = true): Conversion => ({
  from,
  to,
  lossless,
  how,
})

const TYPES: readonly ValueType[] = [...PORT_TYPES, ...(Object.keys(COMPOSITES) as CompositeType[])]

/** Every conversion there is; a pair that is missing here cannot be connected. */
export const CONVERSIONS: readonly Conversion[] = [
  ...TYPES.map((type) => convert(type, type, 'passed on as it is')),
  convert('dataset', 'image', 'the images of the dataset; table, labels and patients travel along'),
  convert('dataset', 'tabular', 'the table of the dataset; images, labels and patients travel along'),
  convert('image', 'dataset', 'the cases that the images belong to, with what travelled along'),
  convert('tabular', 'dataset', 'the cases that the rows describe, with what travelled along'),
  convert('image', 'tabular', 'the table of the same cases, which travelled along with the images'),
  convert('tabular', 'image', 'the images of the same cases, which travelled along with the table'),
  convert('image', 'multimodal', 'joined with a table by case id'),
  convert('tabular', 'multimodal', 'joined with images by case id'),
  convert('dataset', 'multimodal', 'images and table of the same cases'),
  convert('multimodal', 'dataset', 'images and table, joined by case id'),
  convert('multimodal', 'image', 'the images; the table travels along'),
  convert('multimodal', 'tabular', 'the table; the images travel along'),
  convert('dataset', 'training_data', 'joined with a configuration'),
  convert('config', 'training_data', 'joined with a dataset'),
  convert('training_data', 'dataset', 'the dataset; the configuration is left behind', false),
  convert('training_data', 'config', 'the configuration; the dataset is left behind', false),
  convert('image', 'tensor', 'pixels as an array (case, channel, height, width)', false),
  convert('tabular', 'tensor', 'numeric columns as an array (case, column)', false),
  convert('metrics', 'config', 'the same numbers, as a plain object'),
  ...TYPES.filter((type) => type !== 'any').flatMap((type) => [
    convert(type, 'any', 'passed on as it is'),
    convert('any', type, 'checked when the node runs', false),
  ]),
]

const BY_PAIR = new Map(CONVERSIONS.map((conversion) => [`${conversion.from}>${conversion.to}`, conversion]))

/** How a value of type `from` becomes one of type `to`; undefined when it cannot. */
export function conversion(from: ValueType, to: ValueType): Conversion | undefined {
  return BY_PAIR.get(`${from}>${to}`)
}

/** The parts that may arrive by separate connections at a port of this type and are joined by case id; null: one connection only. */
export function joinedParts(to: ValueType): readonly PortType[] | null {
  if (to === 'dataset') return COMPOSITES.multimodal
  return (COMPOSITES as Partial<Record<ValueType, readonly PortType[]>>)[to] ?? null
}

/**
 * Within a type, a kind says which sort of value it is (a backbone is not a training configuration). Two ports that both name
 * a kind must name the same one.
 */
export interface Port {
  readonly name: string
  readonly type: ValueType
  readonly title: string
  readonly kind?: string
}

export interface InputPort extends Port {
  readonly optional?: true
  /** The name ends in a number that counts up: dataset3, dataset4, … Each takes one value; their order is that of the numbers. */
  readonly multiple?: true
  /** When nothing is connected, the run itself supplies the value. */
  readonly implicit?: true
}

export interface OutputPort extends Port {
  /** The input whose cases (columns, classes, labels) this output passes on. */
  readonly carries?: string
}

/** The highest number of a port that repeats. */
export const MAX_REPEATS = 64

/** The port that a name means: by its name, or as a further number of one that repeats. */
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
