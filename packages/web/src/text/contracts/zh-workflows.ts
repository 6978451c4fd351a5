import type { ContractWords } from './keys'

/** Names, descriptions and tags of the workflow templates, by template id. */
export const workflows: ContractWords['workflows'] = {
  'external-test': {
    name: '外部测试',
    description:
      '在一个来源上训练，并在其测试划分和一个外部来源上评估。外部来源的所有病例合并在一起，年龄未知的病例被排除；同一模型在两个测试集上评估。',
    tags: ['表格', '外部测试'],
  },
  'first-example': {
    name: '第一个示例',
    description: '得到模型的最短路径：加载数据集，预处理图像，训练。五分之一的患者用于验证。',
    tags: ['从这里开始', '图像', '表格'],
  },
  fusion: {
    name: '图像与表格一起',
    description: '相同病例的图像和表格分别预处理，再按病例合并用于训练。三个文件对应三个划分。',
    tags: ['图像', '表格', '融合'],
  },
  'hyper-parameters': {
    name: '两个学习率',
    description:
      '用两个学习率训练同一模型。请比较两次训练的验证指标，再将较好的一个接到评估：只有该模型在测试数据上评估。',
    tags: ['表格', '比较'],
  },
  'image-only': {
    name: '仅图像',
    description:
      '只用图像训练：融合为“none”，因此不读取表格的任何列。患者分为三部分；只对训练图像做数据增强。',
    tags: ['图像', '消融'],
  },
  'multi-view': {
    name: '每个病例多张图像',
    description: '用注意力合并每个病例的至多三张图像；缺失的视图被屏蔽，从不填补。',
    tags: ['图像', '表格', '多视图'],
  },
  'predict-cases': {
    name: '预测新病例',
    description:
      '用表格训练，并预测没有标签的病例；没有警告的预测另存为一个文件。若要使用已训练好的模型，请删除训练节点，并设置预测节点的 model_id。',
    tags: ['表格', '预测'],
  },
  report: {
    name: '从数据到报告',
    description:
      '完整的工作流：加载、预处理、训练、评估、绘图并写入报告；将模型、预测和工作流本身保存为文件。',
    tags: ['图像', '表格', '融合', '报告'],
  },
  resume: {
    name: '从检查点继续',
    description: '以相同的数据从最佳轮次继续，作为新的训练任务，并评估所得模型。',
    tags: ['表格', '继续'],
  },
  'table-only': {
    name: '仅表格',
    description:
      '只用表格训练：骨干网络为“none”，因此不读取图像。表格先划分、后预处理，因为统计量只能来自训练划分。',
    tags: ['表格', '消融'],
  },
}
