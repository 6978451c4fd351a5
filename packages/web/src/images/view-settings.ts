export const AXES = ['axial', 'coronal', 'sagittal'] as const

/** View settings of an image; absent settings use the values of the file. */
export interface ImageViewSettings {
  /** model: exactly the model's input. */
  readonly as?: 'model' | undefined
  readonly axis?: (typeof AXES)[number] | undefined
  readonly slice?: number | undefined
  /** Number of the model's view, from 1. */
  readonly view?: number | undefined
  /** Window in the units of the image. */
  readonly center?: number | undefined
  readonly width?: number | undefined
}
