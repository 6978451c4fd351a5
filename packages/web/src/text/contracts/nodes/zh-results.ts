import type { CatalogWords } from './keys'
import { reportTexts, target } from './zh-fields'

/** Nodes that measure a model and write files. */
export const resultNodes = {
  EvaluateModel: {
    title: '评估模型',
    summary: '将训练好的模型用于未见过的数据，并衡量其表现。',
    inputs: { model: '训练好的模型', test_dataset: '测试数据' },
    outputs: { metrics: '指标', predictions: '预测', confusion_matrix: '混淆矩阵' },
    config: {
      metrics: ['指标', '优先显示的指标；报告包含全部指标及其区间。'],
      save_predictions: ['保存预测', '将每个病例的预测保存为运行的文件。'],
      calibrated: ['校准概率', '将训练在验证集上拟合的温度用于预测、阈值和指标。'],
      importance: ['输入的重要性', '每一列和图像在患者间交换多少次，以衡量预测依据什么；不填则不衡量。'],
    },
  },
  PredictCases: {
    title: '预测病例',
    summary: '将训练好的模型用于没有标签的病例。',
    inputs: { model: '训练好的模型', cases: '病例' },
    outputs: { predictions: '预测', basis: '关于模型的信息' },
    config: {
      model_id: ['已注册的模型', '已注册模型的 ID 或别名，例如 latest；不填则为相连的模型。'],
      id_column: ['编号列', '含有病例编号的列；不填则为患者列。'],
      calibrated: ['校准概率', '如果训练拟合了温度，则应用该温度。'],
      operating_point: [
        '工作点',
        '训练的工作点，例如 youden、sensitivity:0.9、specificity:0.9 或 cost:5:1；不填则为其决策阈值。',
      ],
    },
  },
  VisualizeResults: {
    title: '绘制结果',
    summary: '绘制评估和训练的图。',
    inputs: { metrics: '指标', confusion_matrix: '混淆矩阵', training_history: '训练过程' },
    outputs: { plots: '图' },
    config: {
      plot_types: ['图', '要绘制的图；学习曲线需要训练过程。'],
      save_path: ['文件夹', '图写到哪里，位于服务的输出文件夹之下；不填则放在工作流的产物中。'],
    },
  },
  GenerateReport: {
    title: '生成报告',
    summary: '写一份关于数据、模型、训练和表现的报告。',
    inputs: { metrics: '指标', plots: '图', model_summary: '层与参数' },
    outputs: { report_path: '报告' },
    config: {
      format: ['格式', '要写的文件类型。'],
      template: ['模板', '完整报告，或只有主要数字的一页。'],
      include_sections: ['章节', '要写的章节，按模板的顺序。'],
      with_images: ['失败病例附图像', '按模型所见显示失败病例，不含标识；默认关闭，因为报告会被传阅。'],
      ...reportTexts,
    },
  },
  SaveModel: {
    title: '保存模型',
    summary: '将模型写成其他软件可以读取的文件。',
    inputs: { model: '训练好的模型' },
    outputs: { model_path: '模型文件' },
    config: {
      path: target('模型'),
      format: ['格式', 'PyTorch 权重及其清单、ONNX 或 TorchScript。'],
      quantization: ['量化', '用更少的位存储权重；保留前与原模型比较结果。'],
    },
  },
  ExportPredictions: {
    title: '导出预测',
    summary: '将每个病例的预测，或预处理后的数据集病例，写成表格文件。',
    inputs: { predictions: '预测或病例表格' },
    outputs: { export_path: '表格文件' },
    config: { path: target('表格'), format: ['格式', '要写的文件类型。'] },
  },
  SaveWorkflow: {
    title: '保存工作流',
    summary: '在相连的节点运行后，将工作流写成文件。',
    inputs: { workflow: '工作流' },
    outputs: { workflow_path: '工作流文件' },
    config: {
      path: target('工作流'),
      name: ['名称', '保存文件中的名称；不填则为工作流的名称。'],
      description: ['说明', '保存文件中的说明；不填则为工作流的说明。'],
    },
  },
} as const satisfies Partial<CatalogWords>
