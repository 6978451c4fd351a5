import { z } from 'zod'
import { phrase } from '../phrases/index.js'
import { refusal } from '../validation/refusal.js'
import { AUGMENTATION_METHODS } from './choices.js'

/** Selected augmentation methods, each applied to an image with the same probability. */
export const AugmentationPlan = z
  .strictObject({
    methods: z
      .array(z.enum(AUGMENTATION_METHODS))
      .min(1)
      .refine((methods) => new Set(methods).size === methods.length, refusal(phrase('method_twice')))
      .default(['rotation', 'crop', 'brightness', 'contrast']),
    probability: z.number().min(0).max(1).default(0.5),
    intensity: z.number().min(0).max(1).default(0.3),
  })
  .meta({ id: 'AugmentationPlan' })
