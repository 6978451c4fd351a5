/**
 * Packages of the trainer's environment whose version may change a node's result, by kind of work. A trainer test compares them with the
 * imports of the node modules. Packages that only transport data (safetensors, jsonschema) or set threads are not included.
 */
const DATA = [
  'medloom_trainer',
  'numpy',
  'scipy',
  'Pillow',
  'imagecodecs',
  'pydicom',
  'openpyxl',
  'polars',
  'pyreadstat',
] as const
const MODEL = [...DATA, 'torch', 'timm', 'scikit-learn'] as const

export const SOFTWARE = {
  /** Reads and changes tables and images. */
  data: DATA,
  /** Builds, trains or applies a model. */
  model: MODEL,
  /** Exports a model for other software. */
  export: [...MODEL, 'onnx', 'onnxscript', 'onnxruntime'],
} as const
export type SoftwareGroup = keyof typeof SOFTWARE
