"""Search for better plans without a model: plans are changed as syntax trees and played in batches."""
