SELECT partitioning.get_item('app', :key);
