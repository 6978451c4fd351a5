/**
 * The packages of the trainer's environment whose version may change what a node computes, by what the node does. A test of the trainer
 * compares them with what the modules of the nodes import. Packages that only carry bytes (safetensors, jsonschema) or set threads are left out.
 */
const DATA = ['medloom_trainer', 'numpy', 'scipy', 'Pillow', 'imagecodecs', 'pydicom', 'openpyxl'] as const
const MODEL = [...DATA, 'torch', 'timm', 'scikit-learn'] as const

export const SOFTWARE = {
  /** Reads and changes tables and images. */
  data: DATA,
  /** Builds, trains or applies a model. */
  model: MODEL,
  /** Writes a model for other software. */
  export: [...MODEL, 'onnx', 'onnxscript', 'onnxruntime'],
} as const
export type SoftwareGroup = keyof typeof SOFTWARE
