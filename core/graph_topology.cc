// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/core/graph_topology.h>

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/breadth_first_search.hpp>
#include <boost/graph/connected_components.hpp>
#include <boost/graph/kruskal_min_spanning_tree.hpp>
#include <iterator>

#include <slackline/core/check.h>

namespace slackline::internal {
namespace {

using PartGraph = boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS>;

/// Variables and factors as nodes, an edge where a factor contains a variable.
PartGraph MakePartGraph(const FactorGraph& graph) {
  PartGraph parts(graph.num_parts());
  for (Index c = 0; c < graph.num_factors(); ++c) {
    for (const Index i : graph.scope(c)) {
      boost::add_edge(i, Offset{graph.num_variables()} + c, parts);
    }
  }
  return parts;
}

/// Records the parts in the order of a breadth-first visit, with their parents.
class ParentRecorder : public boost::default_bfs_visitor {
 public:
  explicit ParentRecorder(std::vector<EliminationStep>* visited) : visited_(visited) {}
  template <class Edge, class Graph>
  void tree_edge(const Edge& edge, const Graph& graph) const {
    visited_->push_back(
        {static_cast<Index>(target(edge, graph)), static_cast<Index>(source(edge, graph))});
  }

 private:
  std::vector<EliminationStep>* visited_;
};

}  // namespace

Components ConnectedComponents(const FactorGraph& graph) {
  const PartGraph parts = MakePartGraph(graph);
  std::vector<Index> component(graph.num_parts(), 0);
  Components result;
  result.count = component.empty()
                     ? 0
                     : static_cast<Index>(boost::connected_components(parts, component.data()));
  component.resize(graph.num_variables());
  result.component = std::move(component);
  return result;
}

bool IsForest(const FactorGraph& graph) {
  if (graph.num_global_factors() > 0) return false;
  // A graph is a forest exactly when it has as many edges as nodes minus components.
  if (graph.num_edges() >= std::max<Index>(1, graph.num_parts())) return false;
  return graph.num_edges() == graph.num_parts() - ConnectedComponents(graph).count;
}

std::vector<EliminationStep> ForestElimination(const FactorGraph& graph) {
  SLACKLINE_CHECK(IsForest(graph),
                  "an elimination order was asked of a graph that is not a forest");
  const PartGraph parts = MakePartGraph(graph);
  std::vector<boost::default_color_type> color(boost::num_vertices(parts), boost::white_color);
  std::vector<EliminationStep> visited;
  visited.reserve(color.size());
  for (Index root = 0; root < graph.num_variables(); ++root) {
    if (color[root] != boost::white_color) continue;
    visited.push_back({root, -1});
    boost::queue<std::size_t> queue;
    boost::breadth_first_visit(
        parts, root, queue, ParentRecorder(&visited),
        boost::make_iterator_property_map(color.begin(), boost::get(boost::vertex_index, parts)));
  }
  std::reverse(visited.begin(), visited.end());
  return visited;
}

std::vector<WeightedEdge> MaximumSpanningForest(Index num_nodes,
                                                std::span<const WeightedEdge> edges) {
  using Cost = boost::property<boost::edge_weight_t, double,
                               boost::property<boost::edge_index_t, std::size_t>>;
  using Graph =
      boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS, boost::no_property, Cost>;
  Graph graph(num_nodes);
  // Kruskal's queue does not keep the order of equal weights, so ties are resolved by rank instead
  // of weight.
  std::vector<std::size_t> rank(edges.size());
  for (std::size_t e = 0; e < edges.size(); ++e) rank[e] = e;
  std::stable_sort(rank.begin(), rank.end(),
                   [&](std::size_t a, std::size_t b) { return edges[a].weight > edges[b].weight; });
  for (std::size_t r = 0; r < rank.size(); ++r) {
    const WeightedEdge& edge = edges[rank[r]];
    SLACKLINE_CHECK(edge.a >= 0 && edge.a < num_nodes && edge.b >= 0 && edge.b < num_nodes,
                    "an edge names an unknown node");
    boost::add_edge(edge.a, edge.b, Cost(static_cast<double>(r), rank[r]), graph);
  }
  std::vector<boost::graph_traits<Graph>::edge_descriptor> tree;
  boost::kruskal_minimum_spanning_tree(graph, std::back_inserter(tree));
  std::vector<WeightedEdge> result;
  for (const auto& edge : tree) result.push_back(edges[boost::get(boost::edge_index, graph, edge)]);
  std::sort(result.begin(), result.end(), [](const WeightedEdge& x, const WeightedEdge& y) {
    return x.a != y.a ? x.a < y.a : x.b < y.b;
  });
  return result;
}

}  // namespace slackline::internal
